"""What an officer signs: a release of any page, its risk, stated rules, attacks run on it, and the report."""

from __future__ import annotations

import streamlit as st

from kanon_engine.risk.rules import numbers_to_declare
from kanon_engine.risk.rules.rule import FAILS
from pages._review.facts import (
    choose_context,
    choose_decision,
    choose_facts,
    choose_rules,
    context_now,
    decision_now,
    facts_now,
    offer_answers,
    restore_answers,
)
from pages._review.findings import (
    find_review,
    judged,
    show_attacks,
    show_checklist,
    show_leaving,
    show_risk,
    show_rules,
    show_signing,
    show_summary,
    show_utility,
)
from pages._review.questions import choose_release, choose_settings, link_of_release, show_release
from pages._shared.entry import enter_page
from pages._shared.link import begin_link, linked_tabs
from pages._shared.records import remember_failing
from pages._shared.tasks import stay_awake

TABS = ("Context", "What is released", "Rules", "Risk", "Attacks", "Use", "Checklist", "Sign")

enter_page()
begin_link("review")
restore_answers()
with st.sidebar:
    chosen = choose_release()
    asked = choose_settings(chosen)
    with st.expander("Stated rules"):
        rules = choose_rules()
    saving = st.container()
show_release(chosen)
found = find_review(chosen, asked)
said = context_now()
numbers = numbers_to_declare(found.review.released, found.review.g, found.review.instance)
found = judged(found, rules, facts_now(said, numbers), said, decision_now(said))
remember_failing(chosen.g, sum(ruling.verdict == FAILS for ruling in found.review.rulings))
with saving:
    offer_answers(found.project)
show_summary(found.review)
with linked_tabs("review", TABS) as (tab, link):
    link |= link_of_release()
    match tab:
        case "Context":
            choose_context()
        case "What is released":
            show_leaving(found.review)
        case "Rules":
            words, answers = st.columns([3, 2], gap="medium")
            with answers:
                choose_facts(found.review, numbers)
            with words:
                show_rules(found.review)
        case "Risk":
            show_risk(found.review, found.before, found.after)
        case "Attacks":
            show_attacks(found)
        case "Use":
            show_utility(found.review)
        case "Checklist":
            show_checklist(found.review)
        case "Sign":
            choose_decision(found.review.g)
            show_signing(found)
stay_awake()
