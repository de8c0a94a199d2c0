import { html, nothing, type TemplateResult } from 'lit';
import type {
  LedgerImportField,
  LedgerImportRecord,
} from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../../locale/locale.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { cardView, maybe, pairsView, plainButton, quiet } from '../../parts/views.ts';
import type { Draft } from './draft.ts';
import { isQuestion, questionsView } from './questions.ts';
import { countOf, fieldText, isExtraRow, isHiddenRow, rowsItem, where } from './rows.ts';

type ImportError = LedgerImportRecord['errors'][number];

/**
 * Shows a dry run's result, with each error and its lines.
 * @param start imports the file
 */
export function reportView(
  draft: Draft,
  report: LedgerImportRecord,
  start: () => void,
): TemplateResult {
  return html`${headView(draft, report, start)} ${questionsView(draft, report)}
  ${errorsView(draft, report)} ${totalsView(report)} ${closedView(report)}
  ${asidesView(draft, report)}`;
}

function headView(draft: Draft, report: LedgerImportRecord, start: () => void) {
  const { imports } = texts();
  const isClean = report.errorCount === 0;
  const { added, replaced, lookAlikeCount, errors, extraRows, sheetCells, difference } = report;
  const isChoice = !isClean && errors.every(isQuestion);
  const questions =
    sheetCells.length > 0
      ? imports.sheetCells(countOf(sheetCells))
      : extraRows.length > 0
        ? imports.extraRows(countOf(extraRows))
        : difference !== undefined && draft.options.correction === undefined
          ? imports.difference(difference.added + difference.changed + difference.removed)
          : imports.lookAlikes(lookAlikeCount);
  return html`<section class="card">
    <div class="row spread">
      <h2 class=${isClean ? 'good' : 'problem'}>
        <wa-icon name=${isClean ? 'circle-check' : 'circle-alert'}></wa-icon>
        ${isClean ? imports.clean : isChoice ? questions : imports.errors(report.errorCount)}
      </h2>
      <div class="row">
        <wa-button appearance="outlined" @click=${() => draft.assign()}
          >${imports.change}</wa-button
        >
        ${
          isClean && added + replaced > 0
            ? html`<wa-button
                variant="brand"
                ?disabled=${draft.work !== undefined || draft.isWaiting}
                ?loading=${draft.work === 'importing'}
                @click=${start}
                >${imports.importLines(added)}</wa-button
              >`
            : nothing
        }
      </div>
    </div>
    ${isClean || isChoice ? nothing : html`<p>${imports.errorsHelp}</p>`}
    ${isClean && added + replaced === 0 ? html`<p>${imports.nothingNew}</p>` : nothing}
    ${figuresView(report)}
  </section>`;
}

/** Shows the line counts. */
export function figuresView(report: LedgerImportRecord): TemplateResult {
  const { imports } = texts();
  const shown = (['lines', 'added', 'repeated', 'replaced', 'skipped'] as const).filter(
    (name) => report[name] > 0 || name === 'lines' || name === 'added',
  );
  return pairsView(
    'figures',
    shown.map((name) => [imports.figures[name], formats().number(report[name])] as const),
  );
}

function errorsView(draft: Draft, { errors, errorCount }: LedgerImportRecord) {
  const { imports } = texts();
  // Errors with a question are shown separately.
  const listed = errors.filter((error) => !isQuestion(error));
  if (listed.length === 0) return nothing;
  const columns: Column<ImportError>[] = [
    {
      head: imports.line,
      class: 'end',
      cell: ({ line, lines, count }) => {
        if (line === undefined) return imports.wholeFile;
        if (count === 1) return formats().number(line);
        return html`${imports.lines(count)} ${where(lines, count)}`;
      },
    },
    { head: imports.field, class: 'minor', cell: ({ field }) => columnView(draft, field) },
    { head: imports.value, class: 'minor', cell: (error) => valueView(draft, error) },
    {
      head: imports.problem,
      class: 'wide',
      cell: (error) =>
        html`<small class="narrow-only quiet"
            >${columnView(draft, error.field)} ${valueView(draft, error)}</small
          >${errorText(error)}`,
    },
  ];
  return html`<section class="card report-errors">
    <h2>${imports.errors(errorCount)}</h2>
    ${errorCount > countOf(errors) ? quiet(imports.firstErrors(countOf(errors))) : nothing}
    <console-table
      .label=${imports.errors(errorCount)}
      .columns=${columns}
      .rows=${listed}
    ></console-table>
  </section>`;
}

/**
 * Shows a column by its name in the file, along with the field that is read from it if the name
 * differs.
 */
function columnView({ options }: Draft, field: string | undefined) {
  const name = fieldText(field);
  const column = options.map?.[field as LedgerImportField] ?? name;
  return column.toLowerCase() === name.toLowerCase()
    ? column
    : html`${column} <small class="quiet">${name}</small>`;
}

function valueView({ values }: Draft, error: ImportError) {
  return maybe(values.get(error), (value) => html`<q>${value}</q>`);
}

/**
 * Returns the error and the option on this page that helps. For an error without a text here,
 * returns the API's message, unless it names an API option.
 */
function errorText({ code, field, message }: ImportError): string {
  const { errorTexts, otherError } = texts().imports;
  const known: Readonly<Record<string, string>> = errorTexts;
  return known[`${code} ${field}`] ?? known[code] ?? (message.includes('`') ? otherError : message);
}

/** Says which lines belong to closed periods, both before and after they count. */
function closedView({ closed }: LedgerImportRecord) {
  const { closedPeriods } = texts().imports;
  return closed.map(
    ({ period, lines }) =>
      html`<section class="card"><p>${closedPeriods(period, lines)}</p></section>`,
  );
}

function totalsView({ totals }: LedgerImportRecord) {
  if (totals.length === 0) return nothing;
  const { imports, common } = texts();
  const { amount, number } = formats();
  const columns: Column<LedgerImportRecord['totals'][number]>[] = [
    { head: imports.fields.type, isName: true, cell: ({ type }) => imports.typesOf[type] },
    { head: common.currency, class: 'minor', cell: ({ currency }) => currency },
    { head: imports.count, class: 'end', cell: ({ count }) => number(count) },
    { head: common.amount, class: 'end', cell: (sum) => amount(sum.amount, sum.currency) },
  ];
  return cardView(imports.totals, tableView({ label: imports.totals, columns, rows: totals }));
}

/** Shows rows that were skipped or interpreted unusually, and type values without a mapping. */
function asidesView(draft: Draft, report: LedgerImportRecord) {
  const { imports } = texts();
  const { notes, alike, unknownTypes } = report;
  // The questions about rows already list those.
  const leftOut = report.leftOut.filter((row) => !isExtraRow(row) && !isHiddenRow(row));
  if (leftOut.length + notes.length + alike + unknownTypes.length === 0) return nothing;
  const declare = () => {
    draft.words = unknownTypes.map(({ word }) => word);
    draft.assign();
  };
  return html`<section class="card asides">
    ${
      unknownTypes.length === 0
        ? nothing
        : html`<h3>${imports.unknownTypes}</h3>
            <p>
              ${unknownTypes.map(
                ({ word, count }) => html`<span class="word">${word} × ${count}</span>`,
              )}
              ${plainButton(imports.change, declare)}
            </p>`
    }
    ${alike === 0 ? nothing : html`<p>${imports.alike(alike)}</p>`}
    ${itemsView(imports.figures.skipped, leftOut.map(rowsItem))}
    ${itemsView(
      imports.notes,
      notes.map(
        ({ code, field, message, lines, count }) =>
          html`<li>
            ${fieldText(field)}: ${(imports.noteTexts as Record<string, string>)[code] ?? message}
            ${where(lines, count)}
          </li>`,
      ),
    )}
  </section>`;
}

function itemsView(title: string, items: readonly TemplateResult[]) {
  if (items.length === 0) return nothing;
  return html`<h3>${title}</h3>
    <ul>
      ${items}
    </ul>`;
}
