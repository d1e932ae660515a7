"""What `python check` says, in this process."""

from kanon_engine import verification
from kanon_engine.report.members import instance_text
from kanon_engine.verification.bundle import FAILED, Bundle


def certificate_failures(instance, certificate):
    """The names of the claims of a certificate that fail, against its data."""
    data = instance_text(instance).encode()
    lines = Bundle(verification.FAMILIES).certificate_lines(certificate.encode(), data)
    return [line.name for line in lines if line.mark == FAILED]


def file_failures(path, instance_path=None):
    """The lines that fail of a bundle, or of a certificate with the file of its data."""
    lines = Bundle(verification.FAMILIES).lines(str(path), instance_path and str(instance_path))
    return [line for line in lines if line.mark == FAILED]
