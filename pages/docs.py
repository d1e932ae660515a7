"""The pages of docs/, to read alongside the work."""

from pages._docs.documents import choose_document, documents, show_document, show_none
from pages._shared.entry import enter_page
from pages._shared.tasks import stay_awake

enter_page()
known = documents()
if known:
    show_document(choose_document(known), known)
else:
    show_none()
stay_awake()
