"""Where a source is outdated, wrong or hard to read: what stands in the graph instead, and why."""

# Countries that no longer exist but are still in GeoNames' table.
DISSOLVED = {"AN", "CS"}

# GeoNames' country names, where plain English has a better known or fuller form.
COUNTRY_NAMES = {
    "AX": "Åland Islands",
    "BL": "Saint Barthélemy",
    "BQ": "Caribbean Netherlands",
    "CC": "Cocos (Keeling) Islands",
    "CW": "Curaçao",
    "NL": "Netherlands",
    "PN": "Pitcairn Islands",
    "PS": "Palestine",
    "RE": "Réunion",
    "ST": "São Tomé and Príncipe",
    "TL": "Timor-Leste",
    "VA": "Vatican City",
}

# GeoNames counts the naval base at Guantánamo Bay as a border.
NOT_NEIGHBOURS = {frozenset(("CU", "US"))}

# What CLDR gives the world's default but is as in the United States.
CUSTOMS = {"paper_size": dict.fromkeys(("AS", "GU", "MP", "UM", "VI"), "US-Letter")}

# Capitals: GeoNames' table is behind a renaming, or names the place differently from its own list of cities.
CAPITALS = {
    "IO": "",  # Diego Garcia is a base, not a town
    "KZ": "Astana",  # was Nur-Sultan from 2019 to 2022
    "LK": "Sri Jayewardenepura Kotte",  # Colombo is the commercial capital
    "PW": "Ngerulmud",  # in the state of Melekeok
}

# GeoNames' names of cities, where another is the usual one today.
CITY_NAMES = {("MN", "Ulan Bator"): "Ulaanbaatar", ("MO", "Macau"): "Macao"}

# GeoNames renumbered Vietnam's provinces after the mergers of July 2025; the package with the names is older.
SUBDIVISION_NAMES = {
    ("UA", "12"): "Kyiv City",
    ("UA", "13"): "Kyiv Oblast",
    ("VN", "08"): "Tuyên Quang Province",
    ("VN", "15"): "Lào Cai Province",
    ("VN", "19"): "Thái Nguyên Province",
    ("VN", "24"): "Bắc Ninh Province",
    ("VN", "25"): "Phú Thọ Province",
    ("VN", "31"): "Haiphong",
    ("VN", "33"): "Hưng Yên Province",
    ("VN", "37"): "Ninh Bình Province",
    ("VN", "44"): "Quảng Trị Province",
    ("VN", "48"): "Da Nang",
    ("VN", "51"): "Quảng Ngãi Province",
    ("VN", "52"): "Gia Lai Province",
    ("VN", "56"): "Khánh Hòa Province",
    ("VN", "66"): "Đắk Lắk Province",
    ("VN", "68"): "Lâm Đồng Province",
    ("VN", "75"): "Đồng Nai Province",
    ("VN", "79"): "Ho Chi Minh City",
    ("VN", "80"): "Tây Ninh Province",
    ("VN", "82"): "Đồng Tháp Province",
    ("VN", "86"): "Vĩnh Long Province",
    ("VN", "91"): "An Giang Province",
    ("VN", "92"): "Cần Thơ",
    ("VN", "96"): "Cà Mau Province",
}

# Wikidata has no single type for the alphabets that everybody knows, and calls scripts alphabets that are not.
SCRIPT_TYPES = {
    "Armn": "alphabet",
    "Cans": "abugida",
    "Cyrl": "alphabet",
    "Geor": "alphabet",
    "Grek": "alphabet",
    "Hebr": "abjad",
    "Hira": "syllabary",
    "Kana": "syllabary",
    "Latn": "alphabet",
    "Thai": "abugida",
}

# CLDR's names of languages, where another is better known.
LANGUAGE_NAMES = {"bn": "Bengali", "lg": "Luganda", "rn": "Kirundi"}

# Currency periods that are newer than CLDR's file: (country, currency) -> (first day, last day or "").
CURRENCY_PERIODS = {
    ("BG", "BGN"): ("1999-07-05", "2026-01-31"),
    ("BG", "EUR"): ("2026-01-01", ""),
}

# Where elements were first found or made, where mendeleev's table is wrong or names one of several credited places.
# The names of elements 104 to 118 and the credit for them follow IUPAC's reports.
DISCOVERED_IN = {
    "Beryllium": ["France"],  # Vauquelin, 1798; Wöhler and Bussy isolated it in 1828
    "Dubnium": ["Russia", "United States"],
    "Flerovium": ["Russia", "United States"],
    "Livermorium": ["Russia", "United States"],
    "Moscovium": ["Russia", "United States"],
    "Nobelium": ["Russia"],  # the claim from Stockholm in 1957 was withdrawn
    "Oganesson": ["Russia", "United States"],
    "Platinum": [],  # known in South America long before Europeans wrote about it
    "Protactinium": ["Germany", "United Kingdom"],
    "Rutherfordium": ["Russia", "United States"],
    "Seaborgium": ["United States"],
    "Tennessine": ["Russia", "United States"],
}

# mendeleev's names of countries.
PLACES = {
    "DRC": "Democratic Republic of the Congo",
    "England": "United Kingdom",
    "Great Britain": "United Kingdom",
    "Kyrgzstan": "Kyrgyzstan",
    "Republic of Korea": "South Korea",
    "Scotland": "United Kingdom",
    "USA": "United States",
}

# One holiday under one name.
HOLIDAY_NAMES = {
    "Labour Day": "Labor Day",
    "International Labor Day": "Labor Day",
    "International Labour Day": "Labor Day",
    "International Workers' Day": "Labor Day",
    "May Day": "Labor Day",
    "Second Day of Christmas": "Boxing Day",
    "Saint Stephen's Day": "Boxing Day",
    "St. Stephen's Day": "Boxing Day",
    "Whit Monday": "Pentecost Monday",
    "Hijri New Year": "Islamic New Year",
    "Islamic New Year Day": "Islamic New Year",
    "Assumption of Mary": "Assumption Day",
    "Feast of the Assumption": "Assumption Day",
    "Assumption": "Assumption Day",
    "Feast of the Immaculate Conception": "Immaculate Conception",
    "Immaculate Conception Day": "Immaculate Conception",
    "Day following Christmas": "Boxing Day",
    "Day After Christmas": "Boxing Day",
    "Easter": "Easter Sunday",
    "Gregorian Easter Sunday": "Easter Sunday",
    "Julian Easter Sunday": "Orthodox Easter Sunday",
    "Eid-ul-Adha": "Eid al-Adha",
    "Eid al-Adha Holiday": "Eid al-Adha",
    "Eid-ul-Fitr": "Eid al-Fitr",
    "Eid al-Fitr Holiday": "Eid al-Fitr",
    "International Worker's Day": "Labor Day",
    "Worker's Day": "Labor Day",
    "Workers' Day": "Labor Day",
    "International Workers' Solidarity Day": "Labor Day",
    "International New Year Day": "New Year's Day",
    "Whit Sunday": "Pentecost",
    "Holy Thursday": "Maundy Thursday",
    "Finding of True Cross": "Finding of the True Cross",
    "ANZAC Day": "Anzac Day",
    "Assumption Of Mary Day": "Assumption Day",
    "Assumption of Mary Day": "Assumption Day",
    "Catholic Christmas Day": "Christmas Day",
    "Catholic Easter": "Easter Sunday",
    "Catholic Easter Monday": "Easter Monday",
    "Catholic Easter Sunday": "Easter Sunday",
    "Catholic Good Friday": "Good Friday",
    "Chinese New Year's Day": "Chinese New Year",
    "Christmas": "Christmas Day",
    "Corpus Domini": "Corpus Christi",
    "Coptic Easter": "Orthodox Easter Sunday",
    "Fat Tuesday": "Carnival Tuesday",
    "Feast of Saint Joseph": "Saint Joseph's Day",
    "Feast of Saint Peter and Saint Paul": "Saints Peter and Paul's Day",
    "International Nowruz Day": "Nowruz",
    "International Women's Rights Day": "International Women's Day",
    "Labor Day and International Workers' Solidarity Day": "Labor Day",
    "Maha Sivarathri Day": "Maha Shivaratri",
    "Martyr's Day": "Martyrs' Day",
    "Martyrs Day": "Martyrs' Day",
    "Mid-winter Day": "Midwinter Day",
    "National Heroes Day": "National Heroes' Day",
    "National Labor Day": "Labor Day",
    "National Labour Day": "Labor Day",
    "National Workers' Day": "Labor Day",
    "Nowruz Day": "Nowruz",
    "Orthodox Christmas": "Orthodox Christmas Day",
    "Orthodox Easter": "Orthodox Easter Sunday",
    "Presidents Day": "Presidents' Day",
    "Prophet Mohammed's Birthday": "Prophet's Birthday",
    "Prophet Muhammad's Birthday": "Prophet's Birthday",
    "Saint Peter and Saint Paul's Day": "Saints Peter and Paul's Day",
    "Saints Peter and Paul Day": "Saints Peter and Paul's Day",
    "Solemnity of Pentecost": "Pentecost",
    "Spring Festival": "Chinese New Year",
    "Chinese Spring Festival": "Chinese New Year",
    "The Buddha's Birthday": "Buddha's Birthday",
    "Three Kings Day": "Epiphany",
    "Veteran's Day": "Veterans Day",
}

# Changes of membership since the lists were made.
MEMBERS_JOINED = {
    "BRICS": {"AE", "EG", "ET", "ID", "IR"},  # 2024 and 2025
    "Eurozone": {"BG", "HR"},  # 2026 and 2023
}
MEMBERS_LEFT = {
    "Asia-Pacific Group": {"TR"},  # listed twice; votes with the Western European and Others Group
    "Least Developed Countries": {"BT", "ST"},  # graduated in 2023 and 2024
    "OPEC": {"AO", "EC", "QA"},  # 2024, 2020 and 2019
}

# ISO 3166-2's words for subdivisions: by country where its word is not the usual one, else in general.
SUBDIVISION_KINDS = {
    ("", "administrative region"): "region",
    ("", "land"): "state",
    ("", "metropolitan region"): "region",
    ("", "voivodship"): "voivodeship",
    ("ID", "geographical unit"): "province",
    ("LY", "popularate"): "district",
    ("RO", "department"): "county",
    ("RU", "administrative region"): "oblast",
    ("SY", "province"): "governorate",
    ("UA", "region"): "oblast",
    ("UG", "geographical region"): "region",
}
NO_SUBDIVISION_KINDS = {
    "chain (of islands)",
    "city with county rights",
    "district with special status",
    "geographical entity",
    "group of islands (20 inhabited islands)",
    "islands, groups of islands",
    "metropolitan city",
}

# Glottolog's classes of languages that are no families.
NOT_FAMILIES = {"Artificial Language", "Bookkeeping", "Mixed Language", "Pidgin", "Speech Register", "Unclassifiable"}

# Languages that CLDR calls official in a wider or narrower sense than the country's law.
OFFICIAL_STATUS = {
    **{("ZA", code): "official" for code in ("af", "nr", "nso", "ss", "st", "tn", "ts", "ve", "xh", "zu")},
    ("BF", "fr"): "none",  # a working language since 2024
    ("CH", "rm"): "official",
    ("DZ", "fr"): "none",
    ("IL", "ar"): "none",  # special status since 2018
    ("IQ", "ckb"): "official",
    ("MA", "fr"): "none",
    ("MG", "en"): "none",  # official from 2007 to 2010
    ("ML", "fr"): "none",  # a working language since 2023
    ("NE", "fr"): "none",  # a working language since 2025
    ("NG", "yo"): "official_regional",
    ("SN", "wo"): "none",
    ("TN", "fr"): "none",
    ("UA", "ru"): "none",
}

CURRENCY_NAMES = {"KGS": "Kyrgyzstani Som", "GYD": "Guyanese Dollar", "XCG": "Caribbean Guilder"}

# A country that gave up another's currency and took a third's did not replace it.
NOT_REPLACED = {("NLG", "SRG"), ("NLG", "BEF")}

# Languages whose CLDR locale has no date and number formats of its own; the next official language is asked.
SPARSE_LOCALES = {"gn", "kl", "mg", "nd", "rw", "sn", "st", "ti"}

# States for which GeoNames' populations, old or those of a wider area, give another city than the largest.
LARGEST_CITY_UNCLEAR = {
    "Andhra Pradesh, India",
    "Coahuila, Mexico",
    "Falcón, Venezuela",
    "Jigawa State, Nigeria",
    "Kerala, India",
    "Odisha, India",
    "Santa Catarina, Brazil",
    "South Carolina, United States",
    "Tlaxcala (state), Mexico",
    "West Virginia, United States",
    "Yobe State, Nigeria",
}

# Scripts and languages for which CLDR's likely country or language is a stopgap.
NO_HOME = {"Brai", "Goth", "arc", "got", "ia", "ie", "io", "jbo", "lfn", "mww", "tlh", "tok", "vo"}
