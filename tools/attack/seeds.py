"""Small files of each format that faan reads, which campaigns change."""

from __future__ import annotations

import functools
import io

FACTS = [(f"h{i % 7}", f"r{i % 3}", f"t{i % 5}") for i in range(20)]
_TURTLE = """\
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Peru a ex:Country ; ex:capital ex:Lima ; rdfs:label "Peru"@en, '''Per\\u00fa'''@es ; ex:people 33, 1.5e6, true .
ex:Lima ex:in ex:Peru, [ ex:near ( ex:Sea ex:Andes ) ] .  # a comment
ex:Peru ex:says <<( ex:Lima ex:in ex:Peru )>> .
<< ex:Lima ex:in ex:Peru >> ex:since "1821"^^ex:year .
"""
_QUADS = """\
<http://a/s> <http://a/p> <http://a/o> <http://a/g> .
_:b <http://a/p> <http://a/o> .
<http://a/s> <http://www.w3.org/2000/01/rdf-schema#label> "a \\"name\\" \\u00e9"@en .
<http://a/s> <http://a/p> <<( <http://a/s> <http://a/p> <http://a/o> )>> .
"""
_XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rdf:RDF [<!ENTITY ex "http://example.org/"> <!ENTITY lima "&ex;Lima">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://example.org/"
    xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
  <!-- a > comment -->
  <ex:Country rdf:about="&ex;Peru" ex:code='PE'><ex:capital rdf:resource="&lima;"/>
    <rdfs:label xml:lang="en">Peru &amp; more</rdfs:label>
    <ex:cities rdf:parseType="Collection"><rdf:Description rdf:about="&lima;"/><rdf:Description/></ex:cities>
    <ex:note rdf:parseType="Literal"><b>x</b></ex:note></ex:Country>
  <rdf:Bag><rdf:li rdf:resource="#a"/><rdf:li><![CDATA[ <x> ]]></rdf:li></rdf:Bag>
</rdf:RDF>
"""
_JSONLD = """\
{"@context": {"ex": "http://example.org/", "label": "http://www.w3.org/2000/01/rdf-schema#label",
  "in": {"@id": "ex:in", "@type": "@id", "@container": "@set"}, "by": {"@reverse": "ex:near"}},
 "@graph": [{"@id": "ex:Lima", "@type": "ex:City", "label": {"@value": "Lima", "@language": "en"},
   "in": ["ex:Peru", {"@id": "ex:Andes", "by": {"@id": "ex:Sea"}}],
   "ex:all": {"@list": [{"@id": "ex:Sea"}, [1, 2.5, null]]}, "ex:index": {"@set": [true]}}]}
"""
_KGTK = "node1\tlabel\tnode2\nQ1\tlabel\t'Peru'@en\nQ1\tP36\tQ2\nQ2\tP1\t+5\n"
_KGX = """\
{"id": "HGNC:1", "category": ["biolink:Gene"], "name": "BRCA1", "description": "a gene"}
{"id": "e1", "subject": "HGNC:1", "predicate": "biolink:causes", "object": "MONDO:2", "score": 0.5}
"""
_PRIMEKG = """\
relation,x_id,x_type,x_name,x_source,y_id,y_type,y_name,y_source
indication,DB1,drug,"a, b",DrugBank,5,disease,c,MONDO
indication,5,disease,c,MONDO,DB1,drug,"a, b",DrugBank
"""
_APOC = """\
"_id","_labels","name","_start","_end","_type"
"1",":User:Admin","Jim",,,
,,,"1","2","KNOWS"
"""
_IMPORT = "a:START_ID(Person),b,:END_ID(Film){x:y},:TYPE\n1,x,2,ACTED_IN\n"
_SIF = "a\tpp\tb\nb\tpd\td\n"
_ITEM = """\
{"type": "item", "id": "Q419", "labels": {"en": {"language": "en", "value": "Peru"}}, "sitelinks": {}, "claims": {"P36":
 [{"rank": "preferred", "mainsnak": {"snaktype": "value", "property": "P36", "datavalue": {"type": "wikibase-entityid",
 "value": {"entity-type": "item", "id": "Q2868", "numeric-id": 2868}}}}]}}
"""
_TRUTHY = """\
<https://www.wikidata.org/wiki/Special:EntityData/Q4> <http://schema.org/about> <http://www.wikidata.org/entity/Q4> .
<http://www.wikidata.org/entity/Q419> <http://www.wikidata.org/prop/direct/P36> <http://www.wikidata.org/entity/Q2868> .
<http://www.wikidata.org/entity/Q419> <http://www.w3.org/2000/01/rdf-schema#label> "Peru"@en .
"""
_SCHEMA = """\
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
:Capital rdfs:subClassOf :City . :City rdfs:subClassOf :Place ; owl:disjointWith :Person .
<r0> a owl:FunctionalProperty ; rdfs:range [ a owl:Class ; owl:unionOf ( :City :Place ) ] .
<r1> rdfs:domain :Person ; owl:inverseOf <r2> ; rdfs:subPropertyOf <r0> .
:Shape a sh:NodeShape ; sh:targetClass :City ; sh:property [ sh:path <r1> ; sh:maxCount 1 ; sh:in ( <t1> <t2> ) ] .
:Peru a :Place ; <r0> :Lima .
"""


def _parquet() -> bytes:
    import polars as pl

    file = io.BytesIO()
    pl.DataFrame(FACTS, schema=["head", "relation", "tail"], orient="row").write_parquet(file)
    return file.getvalue()


@functools.cache
def seeds() -> dict[str, bytes]:
    """A small file of each format."""
    texts = {
        "graph.tsv": "".join("\t".join(fact) + "\n" for fact in FACTS),
        "kgtk.tsv": _KGTK,
        "kgx.jsonl": _KGX,
        "kg.csv": _PRIMEKG,
        "apoc.csv": _APOC,
        "import.csv": _IMPORT,
        "graph.csv": "head,relation,tail\n" + "".join(",".join(f'"{name}"' for name in fact) + "\n" for fact in FACTS),
        "graph.nt": _QUADS.replace(" <http://a/g>", ""),
        "graph.nq": _QUADS,
        "graph.ttl": _TURTLE,
        "graph.trig": _TURTLE.replace(
            "ex:Lima ex:in ex:Peru, [", "GRAPH ex:g { ex:Lima ex:in ex:Peru . } ex:Lima ex:in ["
        ),
        "graph.rdf": _XML,
        "graph.jsonld": _JSONLD,
        "graph.sif": _SIF,
        "items.jsonl": _ITEM.replace("\n ", " "),
        "truthy.nt": _TRUTHY,
        "ontology.ttl": _SCHEMA,
        "schema.ttl": _SCHEMA,
    }
    return {name: text.encode() for name, text in texts.items()} | {"graph.parquet": _parquet()}
