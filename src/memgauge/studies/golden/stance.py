"""Stance: whether a text affirms a value, denies it, recalls it as past, or only supposes it.

Every mention is read in its clause. What a rule does not know affirms: a memory is not blamed for its style.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from memgauge.studies.golden.masking import OTHER, VALUE, masked
from memgauge.studies.golden.spellings import written

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime


class Stance(StrEnum):
    """What a sentence does with a value."""

    AFFIRMED = "affirmed"
    DENIED = "denied"
    PAST = "past"
    TOLD = "told"
    """It was so: told in the past tense, which may or may not mean that it is over."""
    SUPPOSED = "supposed"


_COPULA = (
    r"(?:is|are|was|were|be|has|have|had|does|do|did|can|could|will|would|should|shall|must|may|might|"
    r"ist|war|es|era)"
)
_WRONG = (
    r"(?:false|untrue|incorrect|wrong|mistaken|invalid|nonsense|inaccurate|not true|not so|not correct|"
    r"not right|"
    r"not the case|a lie|a myth|a mistake|an error|out of the question|fabricated|made up|falsch|falso|faux)"
)
_NEGATION = (
    r"(?:not|never|\w+n't|cannot|(?:neither|nor)\W*(?:\w+\W+){0,2}$|no longer|nobody|no one|(?:there (?:is|"
    r"was|are)|has|have|had|with|is) no|no es|no era|ya no|"
    + _WRONG
    + r"|den(?:y|ies|ied|ying)|refut\w+|disput\w+|"
    r"reject(?:s|ed)?|rul(?:e|es|ed|ing) out|far from|other than|"
    r"rather than|instead of|except(?: for)?|excluding|without|hardly|by no means|in no way|no way|no such|"
    r"nothing like|"
    r"under no circumstances|on no account|isnt|wasnt|doesnt|dont|aint|refus(?:es|ed)|"
    r"nicht|kein\w*|niemals|nie|keineswegs|nunca|jam\u00e1s|tampoco|pas|jamais|aucun\w*|n\u00e3o|non|niet|"
    r"geen|nem|\u043d\u0435)"
)
_HARMLESS = re.compile(
    r"\b(?:not (?:only|just|merely|simply)|no (?:doubt|question|change|less|later|one but|other than)|"
    r"without (?:a )?doubt|"
    r"none other than|nothing (?:but|other than)|nobody but|nowhere but|(?:not|never|n't) (?:forget|doubt|"
    r"deny|change[ds]?)|"
    r"(?:do|does|did|should)n't (?:forget|change|matter|hesitate)|(?:cannot|can't) (?:deny|be denied)|"
    r"why not|not until|"
    r"(?:not|n't|never) (?:\w+ )?"
    + _WRONG
    + r"|not (?:yet )?(?:changed|ended|expired)|not to mention|whether or not|"
    r"hasn't changed|has not changed|not (?:been )?(?:changed|replaced|corrected)|never mind|if not\b|"
    r"no kidding|no longer (?:\w+ ){0,2}anything but|not (?:any|a) other than|nicht nur|no s\u00f3lo|"
    r"pas seulement)",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(
    r"\b(dr|mr|mrs|ms|prof|st|no|nr|e\.g|i\.e|approx|tel|ext|vs|bzw|ca)\.(?=\s)", re.IGNORECASE
)
_NO_END = re.compile(r"[.!?]+(?=\s*[,;)])")
"""A stop that ends nothing, because the sentence goes on: "X., which is false"."""
_SENTENCE = re.compile(
    r"(?<=[.!?;\u3002\uff01\uff1f])[\"')\]]*\s+|(?<=[\u3002\uff01\uff1f])|\s*[\n\u2022]+\s*|(?<!\|)\s\|\|\s"
)
_CLAUSE = re.compile(
    r"[,;()\[\]\uff0c\u2014]|\s(?:--?|\u2013)\s|\b(?:but|yet|however|while|whereas|although|though|because|"
    r"so|sondern|aber|"
    r"jetzt|sino|pero|mais|now|nowadays|today|currently|at present|these days|then|since|as of|instead,)\b"
)
_NEGATED = re.compile(
    rf"\b(?:{_NEGATION})(?!\w)|[\u2260\u00ac]|!=|<>|=/=|(?:^|[\s:=])!\s*[\"'(]?$|\u4e0d\u662f|\u6ca1\u6709|"
    rf"\u5e76\u975e|\u4e0d|\u6c92"
)
_BUT = re.compile(r"\b(?:anything|anyone|anybody|anywhere|everything|everyone|all) (?:but|except(?: for)?)\b")
_MATHS = re.compile(r"(?:\u00ac|!)\s*\w+\s*\(?[\w ,]*$")
_ONCE = (
    r"(?:until|till|up to|formerly|former|previous(?:ly)?|prior|used to|originally|earlier|in the past|"
    r"back then|"
    r"at first|initially|old|ex|before(?:hand| (?:that|this|then|now|it|was))|before\W*$|no longer|"
    r"not any ?more|no more|left|quit|leaving|stopped|ended|"
    r"cancell?ed|gave up|replac(?:es|ed|ing)|supersed(?:es|ed|ing)|succeed(?:s|ed|ing)|had been|once|"
    r"at one time|long ago|"
    r"last (?:year|week|month|spring|summer|autumn|fall|winter)|(?:years|months|weeks|days) ago|outdated|"
    r"obsolete|"
    r"bis|fr\u00fcher\w*|ehemalig\w*|ehemals|vorher|nicht mehr|hasta|antes|anterior\w*|ya no|jusqu\w*|avant|"
    r"autrefois|"
    r"ancien\w*|auparavant|ne plus)"
)
_WAS_ONCE = re.compile(rf"\b{_ONCE}\b|\u4ee5\u524d|\u4e4b\u524d|\u66fe|\u539f\u6765|\u4e0d\u518d|~~\s*$")
_AGAIN = re.compile(
    r"\b(?:once (?:again|more)|at once|all at once|once and for all|as (?:I|she|he|they|you) said before|"
                    r"old (?:friend|age|town|school)|\w+-old|years? old|old\w|left (?:a|the|her|his|"
                    r"my) (?:note|message))\b", re.IGNORECASE)  # fmt: skip
_REPORTED = re.compile(
    r"\b(?:was|were|had|did|has|have)\s+(?:been\s+)?(?:told|tell|informed|advised|notified|reminded|"
    r"said|say|stated?|mention(?:ed)?|noted?|record(?:ed)?|report(?:ed)?|heard|learn(?:ed|t)|confirm(?:ed)?)\b"
)
"""Who said something said it in the past; what they said may hold."""
_WAS = re.compile(r"\b(?:was|were|had|did|war|waren|era|fue|\u00e9tait)\b[^.]*$")
_SUPPOSED = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|might|may be|could be|could have been|supposedly|allegedly|"
    r"hypothetical\w*|"
    r"imagin\w+|pretend\w*|what if|if|as if|whether|joke[ds]?|joking\w*|dream\w*|dreamt|wish\w*|rumou?r\w*|"
    r"guess\w*|"
    r"suppos(?:e|es|ed|ing)|unlikely|doubts?|doubted|doubtful\w*|dubious|questionable|improbable|implausible|"
    r"(?:little|small|slim|poor) (?:chance|hope)|claim\w* that|would be|were to|unless|vielleicht|"
    r"quiz\u00e1s|peut-\u00eatre|wenn|falls)\b|\b(?:almost|nearly|barely)\W*$|"
    r"\u5982\u679c|\u4e5f\u8bb8"
)
_ADVERBIAL = (
    r"(?:formerly|previous(?:ly)?|earlier|originally|initially|before(?:hand)?|at first|back then|"
    r"in the past|once|old|former|"
    r"until|till|up to|was|were|ex|bis|hasta|jusqu\w*|fr\u00fcher|antes|avant|replac\w+|supersed\w+|instead of)"
)
_OF_THE_OTHER = re.compile(
    rf"\W*[^);,]*?\b{_ADVERBIAL}\b(?:\W+(?:that|this|then|it|she|he|they|the|her|his|value|bank|of|a|was|were|"
    rf"had|been|is|used|"
    rf"as|to|be|day|\d[\w-]*|[a-z]+(?= \d)|jan\w*|feb\w*|mar\w*|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*|"
    rf"nov\w*|dec\w*)\b)*\W*yvy"
)
"""What follows one value and says of the other that it is past."""
_BY_THE_OTHER = re.compile(
    rf"^\W*(?:{_COPULA}|has been|have been|had been|got|been)\W+(?:\w+ly )?(?:replac|supersed|succeed)\w+|"
                           r"^[^,;()]*\b(?:until|till|before)\b(?![^,;]*\b(?:it|she|he) (?:was|"
                           r"had)\b[^,;]*yvy)[^,;]*[,;]|"
                           r"^\W*(?:replaced|superseded|succeeded|followed) by\b")  # fmt: skip
_OVER = re.compile(
    rf"^\W*(?:{_COPULA}|has been|have been|had been|got|been|became|is now|which (?:is|"
    rf"was))\s+(?:\w+ly )?(?:the |her |his )?"
    r"(?:replaced|superseded|succeeded|outdated|obsolete|over|ended|expired|cancell?ed|closed|gone|history|"
    r"retired|archived|"
    r"deprecated|out of date|no longer|used to|former|old|previous|ex-|until|till|before|once)|"
    r"^\W*(?:\[|\(|[-\u2013\u2014:,]\s*)?(?:(?:now|is|the|her|his|an?)\s+)*"
    r"(?:superseded|replaced by|outdated|obsolete|over|ended|expired|cancell?ed|closed|retired|archived|"
    r"deprecated|no longer|used to|"
    r"former(?:ly)?|old|previous(?:ly)?|ex-|gave way|turned into|ceased|stopped|any ?more|until|till|up to|"
    r"bis|hasta|jusqu\w*|"
    r"earlier|originally|initially|before(?:hand| that)?|at first|back then|in the past|once|past|historical)\b|"
    r"^\W*(?:since (?:\w+ ){1,3})?(?:->|\u2192|=>|\u21d2|\u27f6|>+|~~)\W*"
)
_LATER = re.compile(
    r"^[^,;]*?\b(?:before (?:that|this|it|her|his|the|then)|until|till|in the past|back then|previously|"
    r"formerly|"
    r"used to be|no longer|any ?more|at the time|was (?:replaced|superseded|succeeded|changed|followed)|"
    r"has been (?:replaced|superseded|succeeded)|nicht mehr|war (?:fr\u00fcher|vorher))\b|"
    r"^[^,;]*\b(?:before)\W*$"
)
_NOT_SO = re.compile(
    rf"^\W{{0,4}}(?:[\w']+\s+){{0,4}}?(?:(?:{_COPULA})\s+)?(?:\w+ly |at all |just |simply )?"
    rf"(?:not|never|{_COPULA}n't|{_WRONG})\b|^\W{{0,4}}{_COPULA}\s+(?:\w+ly\s+)?{_WRONG}|"
    r"^\W*(?:ist nicht|ist kein|no es|n'est pas|nicht)\b|^\W*(?:\u4e0d\u662f|\u3067\u306f\u306a\u3044|"
    r"\u3058\u3083\u306a\u3044|\u4e0d)|^\W*[\u2717\u2718\u274c]"
)
_WRONGLY = re.compile(r"\b(?:wrongly|falsely|mistakenly|erroneously|incorrectly)\b[^.;]*\bthat\b", re.IGNORECASE)
_HELD_IN_DOUBT = re.compile(
    r"^[^.;]*?[,(\u2013\u2014-]\s*(?:(?:but|and|or|which|that|though|it) (?:is |seems )?)*"
    r"(?:allegedly|supposedly|doubtful\w*|dubious|questionable|unlikely|not really|"
    r"so (?:they|people|some) (?:say|claim)|"
    r"(?:I|we) (?:strongly |highly |rather )?(?:doubt|disbelieve|do not believe|don't believe))\b",
    re.IGNORECASE,
)
"""What follows a value and takes half of it back."""
_TAKEN_BACK = re.compile(
    rf"^[^.;]*?[,(\u2013\u2014-]\s*(?:(?:but|and|or|though|although)\s+)?"
    rf"(?:which|that|this|it|all of (?:which|this|it))\s*"
    rf"(?:(?:{_COPULA}|'s)\s+(?:\w+ly |all |just |a )?(?:not (?:at all |in fact )?true|{_WRONG})|"
    r"(?:isn't|wasn't) (?:true|so|right|correct|the case))\b",
    re.IGNORECASE,
)
"""What follows a value in the same sentence and takes all of it back."""
_THESE = r"(?:(?:all|any|each|every|everything|much|most)(?: of)? )?(?:the|these|those|this|what|that|it)?\b ?"
_FACTS = (
    r"(?:facts?|statements?|memor(?:y|ies)|claims?|entries|notes?|records?|beliefs?|"
    r"information|lines?|list|items?)"
)
_DENIED_HEAD = re.compile(
    rf"^\W*(?:none of (?:the following|the below|this|these|what follows)\b|"
    rf"(?:(?:please )?(?:ignore|disregard|disbelieve|forget|discard)|"
    rf"(?:do not|don't|never) (?:believe|trust|use|rely on))"
    rf" {_THESE}(?:\s?\b(?:following|below|follows|{_FACTS})\b\s?)*\W*$|"
    rf"{_THESE}(?:following|below|follows|{_FACTS})(?: {_FACTS})?(?: \w+){{0,4}}? (?:is|are|was|were)(?: \w+)?? "
    rf"(?:\w+ly )?(?:not |never |no |{_WRONG}\b)|"
    rf"(?:{_WRONG}|untrue|rejected|retracted|refuted|disproved|discarded|denied)(?: {_FACTS})?"
    r"(?: \w+){0,4}\W*:\W*$)",
    re.IGNORECASE,
)
"""A heading that takes back what stands below it."""
_PAST_HEAD = re.compile(
    rf"^\W*(?:(?:formerly|previously|no longer (?:true|valid|current)|outdated|superseded|expired|"
    rf"obsolete|replaced)(?: {_FACTS})?(?: \w+){{0,4}}\W*:\W*$|"
    rf"{_THESE}(?:following|below|follows|{_FACTS})(?: {_FACTS})? (?:is|are|was|were)(?: \w+)?? "
    r"(?:outdated|superseded|expired|obsolete|no longer)\b)",
    re.IGNORECASE,
)
_HEADING = re.compile(r":\W*$|^\s*#")
_FLAGS = re.compile(
    r"\b(?:negated|negation|denied|retracted|rejected|is_negated|is_false)\W{1,4}(?:true|yes|1)\b|"
    r"\b(?:affirmed|is_true|truth|true|correct|polarity|holds)\W{1,4}(?:false|no|0|negative|neg|-)(?!\w)|"
    r"\bstatus\W{1,4}(?:rejected|retracted|denied|refuted|false)\b"
)
_FLAGS_PAST = re.compile(
    r"\b(?:valid|current|active|is_current|is_active|is_valid|present|latest|still)\W{1,4}(?:false|no|0)\b|"
    r"\b(?:status|state)\W{1,4}(?:ended|superseded|inactive|expired|past|historical|history|archived|"
    r"outdated|old|replaced|former)\b|"
    r"\b(?:superseded|outdated|expired|archived|ended|historical|obsolete)\W{1,4}(?:true|yes|1)\b"
)
_DENIED_WHOLE = re.compile(
    r"^\W*(?:(?:NOT|NEVER|FALSE|UNTRUE|WRONG|INCORRECT|NO)\b(?!\W*(?:ONLY|JUST|DOUBT)\b)(?!\s*\.\s*\d)|"
    r"not (?=[A-Z])|"
    rf"(?i:(?:it is|it's|it was|that is|what follows is|the following is) (?:\w+ly )?{_WRONG}\b(?: that)?|"
    rf"{_WRONG}\s*[:\u2013\u2014-]|"
    r"(?:it is|it's) (?:certainly |definitely )?not (?:true|the case|so|correct) that|"
    r"nothing could be further from the truth|(?:there is|there's) no truth))"
)
_PAST_AFTER = re.compile(
    rf"^\W*(?:this|that|it|which)(?:\s+(?:{_COPULA}|holds?)|'s)\s+(?:(?:no longer|not any ?more)\W*"
    r"(?:so|true|the case|valid|current|right|correct|up to date)?\W*$|(?:only |just )?until\b|"
    r"(?:over|outdated|in the past)\W*$)", re.IGNORECASE
)  # fmt: skip
_DENIED_AFTER = re.compile(
    rf"^\W*(?:(?:this|that|it|which|all of (?:this|it)|the above)\s*(?:{_COPULA}|'s)\s+(?:\w+ly |all )?(?:not|"
    rf"never|{_WRONG})\b|"
    rf"{_WRONG}\W*$|not\W*$|none of (?:this|it|that|which|the above)\b|no(?:, it is not)?[.!]|(?:just )?kidding|"
    rf"(?:that|this|it)\s*(?:isn't|wasn't|is not)\b|"
    rf"(?:this|that|it|all of this) (?:may|might|could) (?:well )?be {_WRONG}|(?:I|we) (?:\w+ly )?doubt\b|"
    rf"(?:this|that|it) (?:is|seems) (?:\w+ly )?(?:unlikely|doubtful|dubious|questionable)\b|"
    rf"(?:(?:please )?(?:do not|don't|never) (?:believe|trust|use|rely on)|"
    rf"(?:please )?(?:disregard|ignore|disbelieve))"
    rf" (?:this|that|it|any of (?:this|it)|(?:all (?:of )?)?the above)\b)", re.IGNORECASE
)  # fmt: skip


def stances(text: str, value: str, others: Iterable[str] = (), at: datetime | None = None) -> frozenset[Stance]:
    """Return what *text* does with a value, mention by mention; empty where it does not mention it.

    *others* are values that it may name too. What holds until a day later than *at* still holds.
    """
    return _stances(text, value, tuple(sorted(set(others) - {value})), at)


@lru_cache(maxsize=16_384)
def _stances(text: str, value: str, others: tuple[str, ...], at: datetime | None) -> frozenset[Stance]:
    read = masked(text, value, others).replace("\u2019", "'")
    if VALUE not in read:
        return frozenset()
    if _DENIED_WHOLE.search(read) and not _HARMLESS.match(read.strip().casefold()):
        return frozenset({Stance.DENIED})
    sentences = [part for part in _SENTENCE.split(_ABBREVIATION.sub(r"\1", _NO_END.sub("", read))) if part]
    seen: set[Stance] = set()
    for place, sentence in enumerate(sentences):
        if VALUE not in sentence:
            continue
        behind = sentences[place + 1] if place + 1 < len(sentences) else ""
        if _DENIED_AFTER.search(behind) and VALUE not in behind and OTHER not in behind:
            seen.add(Stance.DENIED)
        elif _PAST_AFTER.search(behind) and VALUE not in behind and OTHER not in behind:
            seen.add(Stance.PAST)
        elif (headed := _headed(sentences[:place])) is not None:
            seen.add(headed)
        else:
            seen |= set(_read(sentence.casefold(), read.casefold(), at))
    return frozenset(seen)


def _headed(above: list[str]) -> Stance | None:
    """Read what the next heading above says of all that stands below it."""
    for sentence in reversed(above):
        if VALUE in sentence or OTHER in sentence:
            continue
        if _DENIED_HEAD.search(sentence):
            return Stance.DENIED
        if _PAST_HEAD.search(sentence):
            return Stance.PAST
        if _HEADING.search(sentence):
            return None
    return None


def _read(sentence: str, whole: str, at: datetime | None) -> Iterable[Stance]:
    for match in re.finditer(VALUE, sentence):
        yield _one_mention(sentence[: match.start()], sentence[match.end() :], whole, at)


def _one_mention(ahead: str, behind: str, whole: str, at: datetime | None) -> Stance:
    """Read one mention between what stands before and what stands behind it."""
    ahead, behind = _EDGE.sub(" is ", ahead), _EDGE.sub(" is ", behind)
    ahead = _AGAIN.sub(" ", _REPORTED.sub(" ", ahead))
    before = _BUT.sub("not", _HARMLESS.sub(" ", ahead)).rpartition(OTHER)[2]
    clause = _CLAUSE.split(before)[-1]
    opened = before.rpartition("(")[2] if before.count("(") > before.count(")") else ""
    flagged = _flagged(ahead, behind)
    if flagged is not None:
        stance = flagged
    elif _is_past(clause, before, behind, at) or _OPENED.match(opened):
        stance = Stance.PAST
    elif _MATHS.search(before) or _WRONGLY.search(before) or _denied(clause, behind):
        stance = Stance.DENIED
    elif _SUPPOSED.search(clause) or _HELD_IN_DOUBT.search(behind.partition(OTHER)[0]):
        stance = Stance.SUPPOSED
    elif _WAS.search(clause):
        stance = Stance.PAST if OTHER in whole and not _BOTH_WERE.search(whole) else Stance.TOLD
    else:
        stance = Stance.AFFIRMED
    return stance


def _flagged(ahead: str, behind: str) -> Stance | None:
    """Read what a record says of itself in fields."""
    record = f"{ahead.rpartition('{')[2]}{VALUE}{behind.partition('}')[0] if '{' in ahead else behind}"
    if _FLAGS.search(record):
        return Stance.DENIED
    return Stance.PAST if _FLAGS_PAST.search(record) else None


_EDGE = re.compile(r"(?:\b\w+ )?-\[[^\]]*\]-+>")
"""The edge of a graph, whose brackets open no clause."""
_OPENED = re.compile(r"\s*(?:was|were|ex|war|era)\b")
_BOTH_WERE = re.compile(rf"\b{OTHER}\b[^.]*\b(?:was|before)\b")
_FROM, _TO = re.compile(r"\bfrom\s+\W*$"), re.compile(r"\W*(?:to|into|over to|zu|a|->|\u2192)\b")
_UNTIL = re.compile(r"\b(?:until|till|up to|bis|hasta)\b")
_ARROW = re.compile(r"\W*(?:since (?:\w+ ){1,3})?(?:->|\u2192|=>|\u21d2|\u27f6|>+)\W*")


def _is_past(clause: str, before: str, behind: str, at: datetime | None) -> bool:
    """Whether a mention is of the past; what holds until a day yet to come is not."""
    marked = _WAS_ONCE.search(clause)
    lasting = marked and _UNTIL.fullmatch(marked[0]) and _to_come(clause[marked.end() :], at)
    if marked and not (lasting and not _WAS.search(clause, marked.end())):
        return True
    if _FROM.search(before) and _TO.match(behind):
        return True
    if _OF_THE_OTHER.match(behind) and not _BY_THE_OTHER.match(behind):
        return False
    over = _OVER.match(behind) or _LATER.match(behind.partition(OTHER)[0])
    if over is None:
        return False
    rest = behind[over.end() :]
    nowhere = _ARROW.fullmatch(over[0]) and not rest.startswith((OTHER, VALUE))
    return not nowhere and not (_UNTIL.search(over[0]) and _to_come(rest, at))


def _to_come(text: str, at: datetime | None) -> bool:
    """Whether *text* begins with a day that has not passed."""
    stated = [place.key[1:] for place in written(text[:40]).places if place.exact and place.key[0] == "@"]
    return bool(stated) and at is not None and stated[0] >= f"{at:%Y-%m-%d}"


def _denied(clause: str, behind: str) -> bool:
    if _NEGATED.search(clause):
        return True
    rest = behind.partition(OTHER)[0]
    if _TAKEN_BACK.match(rest):
        return True
    tail = re.split(r"[;\n]|\b(?:but|and|because|so|while)\b|,(?!\s*(?:not|no)\b)", rest)[0]
    if (
        re.match(r"\s*,?\s*(?:not|and not|rather than|instead of|never|no longer|nicht|no)\s+\W*$", tail)
        and OTHER in behind
    ):
        return False  # what is not so is the other one
    return bool(_NOT_SO.search(tail)) and not _HARMLESS.search(tail)
