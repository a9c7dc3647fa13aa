"""International bank account numbers: length by country and the check of ISO 13616."""

from __future__ import annotations

# The registry's lengths (SWIFT, release 99), a country and its length.
_REGISTRY = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24
RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30
"""
LENGTHS: dict[str, int] = {entry[:2]: int(entry[2:]) for entry in _REGISTRY.split()}


def is_iban(text: str) -> bool:
    """Whether *text*, in capitals and without blanks, has its country's length and leaves 1 modulo 97."""
    if len(text) != LENGTHS.get(text[:2]) or not (text.isascii() and text.isalnum()):
        return False
    return int("".join(str(int(character, 36)) for character in text[4:] + text[:4])) % 97 == 1
