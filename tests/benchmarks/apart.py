"""Runs in processes of their own, so that memory and compiled code of one do not count for another."""

import multiprocessing


def in_own_process(function, *arguments):
    """What the function puts into the queue that it is given as its last argument."""
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=function, args=(*arguments, answer))
    process.start()
    found = answer.get(timeout=7200)
    process.join()
    return found
