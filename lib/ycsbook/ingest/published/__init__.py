"""Tables that people made: vendors' pages, CSVs and data frames of one's own, and this repository's own copies.

The way of a page: `page_text` leaves out what it does not show, `page_tables` gives its headings, sentences and tables
in order, the tables already in the form of a row for each run as far as that needs no title (`page_forms`).
`page_reader` walks over them: `page_headings` says what each column holds and in which unit, `page_cells` what a cell
says, `page_facts`, `page_units` and `page_mix` what the text says of all rows. What other columns and titles say tells
rows apart that are no repeats (`page_rows`, `log.table_columns`).

The way of one's own: `own_csv` gives a CSV as a data frame, `own_data` makes tables of any frame, with the same forms
and headings; `own_cells` says what a cell holds. `published` makes the rows of the tidy tables,
of pages and of CSVs with a sidecar.
"""
