"""Every sentence that people read, in one catalogue per language: a fact goes in, a sentence comes out.

`say(fact, lang)` says a fact, `text(key, lang, ...)` is the same for a key and its values. The catalogue of a language
is the folder of its name here: files in the syntax of Project Fluent (https://projectfluent.org), one per topic. A
third language is a third folder with the same files, and its name in params/sections.py. A key `stall.brief` is the
attribute `.brief` of the message `stall`, its short form; of a message without one the whole.

Another package brings messages of its own, for its rules, by an entry point of the group `ycsbook.messages`: a module
in whose folder there is a folder per language. A language that it does not have is answered in English.

Fluent, of the libraries for this, because one message may depend on several numbers and choices at once and is still
read by a translator as a sentence. How values stand in a message:

    text            as it is; long ones are cut
    number          through a function of `formats`, or as it is; chosen by with its plural category or its value
    missing figure  the word missing, to choose by: { $low -> [missing] {""} *[other] ... }
    true and false  the words true and false, to choose by
    fact            its own sentence, in the same language
    list            through COMMAS, AND, OR, CLAUSES or SENTENCES of `formats`, which join its members
"""

from ycsbook.messages.catalogue import fact_of, facts_of, keys, languages, named, prepare, say, text, title, worded

__all__ = ["fact_of", "facts_of", "keys", "languages", "named", "prepare", "say", "text", "title", "worded"]
