"""The one error tree: everything that the engine raises on purpose."""


class KanonError(Exception):
    """Base of all errors that kanon raises; its text is one sentence fit for a person."""


class InvalidInput(KanonError, ValueError):
    """The data, k or an option is not what it must be; the text says what, where, and what to do."""


class ChoiceNeeded(InvalidInput):
    """Nobody can tell from a file which of its columns is meant; a person must.

    Attributes
    ----------
    parameter : str
        The reader's parameter that takes the choice.
    choices : tuple of str
        What it can be: columns, perhaps none, and `ROWS` of `kanon_engine.io.counted` where each row may be one record.
    """

    def __init__(self, sentence: str, parameter: str, choices: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.parameter = parameter
        self.choices = choices

    def __reduce__(self) -> tuple[type, tuple[str, str, tuple[str, ...]]]:
        return type(self), (str(self), self.parameter, self.choices)


class Infeasible(KanonError):
    """No generalization can satisfy the request; the text names the reason with its numbers."""


class UnknownAlgorithm(KanonError, LookupError):
    """No algorithm has the name asked for; the text lists the names there are."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class CertificateError(KanonError):
    """A claim of a result does not hold.

    Attributes
    ----------
    check : str
        Name of the failed check.
    """

    def __init__(self, check: str, detail: str) -> None:
        super().__init__(f"The check “{check}” failed: {detail}")
        self.check = check
        self.detail = detail

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.check, self.detail)
