"""Where a source is outdated, wrong or hard to read: what stands in the graph instead, and why."""

# Countries that no longer exist but are still in GeoNames' table.
DISSOLVED = {"AN", "CS"}

# GeoNames' country names, where plain English has a better known or fuller form (diacritics, articles, trailing blanks).
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

# Capitals: GeoNames' table is behind a renaming, or names the place differently from its own list of cities.
CAPITALS = {
    "KZ": "Astana",  # was Nur-Sultan from 2019 to 2022
    "LK": "Sri Jayewardenepura Kotte",  # Colombo is the commercial capital
}

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
