import { html, nothing, type TemplateResult } from 'lit';
import type {
  LedgerImportRecord,
  LedgerOptions,
} from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { checkField } from '../../parts/fields.ts';
import { amountColumn } from '../../parts/values.ts';
import type { Column } from '../../parts/table.ts';
import '../../parts/table.ts';
import { quiet } from '../../parts/views.ts';
import type { Draft } from './draft.ts';
import { countOf, isExtraRow, isHiddenRow, rowsItem } from './rows.ts';

type Difference = NonNullable<LedgerImportRecord['difference']>['list'][number];
type LookAlike = LedgerImportRecord['lookAlikes'][number];

/** Shows the decisions that the user must make about a file, with the possible answers. */
export function questionsView(draft: Draft, report: LedgerImportRecord): TemplateResult {
  const { imports } = texts();
  const { extraRows, leftOut, sheetCells } = report;
  return html`${rowsView(
    [...sheetCells, ...leftOut.filter(isHiddenRow)],
    imports.sheetCells,
    draft.options.cells !== undefined,
    (['shown', 'stored'] as const).map((name) =>
      choice(draft, 'cells', { cells: name }, imports.sheetCellChoices[name]),
    ),
  )}
  ${rowsView(
    [...extraRows, ...leftOut.filter(isExtraRow)],
    imports.extraRows,
    draft.options.extraRows !== undefined,
    (['skip', 'keep'] as const).map((name) =>
      choice(draft, 'extra-rows', { extraRows: name }, imports.extraRowChoices[name]),
    ),
  )}
  ${differenceView(draft, report)} ${lookAlikesView(draft, report)}`;
}

/** Returns whether the user can resolve an error by answering on this page. */
export function isQuestion({ code }: LedgerImportRecord['errors'][number]): boolean {
  return ['look-alikes', 'extra-rows', 'sheet-cells', 'correction'].includes(code);
}

/** Shows a line's order and, on narrow screens, the value of its first column. */
function orderView(merchantOrderId: string, first: string) {
  return html`<a class="id" href=${paths.order(`order:${merchantOrderId}`)}>${merchantOrderId}</a
    ><small class="narrow-only quiet">${first}</small>`;
}

/** Shows a possible answer as a radio button. */
function choice(draft: Draft, group: string, answer: LedgerOptions, text: unknown) {
  const isChosen = Object.entries(answer).every(
    ([name, value]) => draft.options[name as keyof LedgerOptions] === value,
  );
  return checkField(
    text,
    isChosen,
    () => {
      draft.options = { ...draft.options, ...answer };
      void draft.check();
    },
    { type: 'radio', name: group, disabled: draft.work !== undefined },
  );
}

/** Shows the answers to a question about all lines. Choosing one repeats the dry run. */
function answersView(choices: unknown) {
  return html`<fieldset class="choice">
    <legend>${texts().imports.decideOnce}</legend>
    ${choices}
  </fieldset>`;
}

/** Shows rows that the user decides on, and the answers, even after the decision. */
function rowsView(
  rows: LedgerImportRecord['leftOut'],
  title: (count: number) => string,
  isDecided: boolean,
  answers: unknown,
) {
  if (rows.length === 0 && !isDecided) return nothing;
  return html`<section class="card">
    ${
      rows.length === 0
        ? nothing
        : html`<h2>${title(countOf(rows))}</h2>
            <ul>
              ${rows.map((row) => rowsItem(row))}
            </ul>`
    }
    ${answersView(answers)}
  </section>`;
}

const dayOf = (at: number) => formats().day(new Date(at).toISOString());

/** Returns whether a line's day differs between the file and the ledger. */
function isMoved({ at, recordedAt }: Difference): boolean {
  return recordedAt !== undefined && dayOf(at) !== dayOf(recordedAt);
}

function differenceView(draft: Draft, { difference }: LedgerImportRecord) {
  if (difference === undefined) return nothing;
  const { imports } = texts();
  const { added, changed, double, from, go, kept, list, removed, source, stay, to } = difference;
  const outcome = { replace: { stay, go, double: 0 }, add: { stay: stay + go, go: 0, double } };
  const dates: Column<Difference> = {
    head: texts().common.date,
    cell: (line) =>
      line.recordedAt !== undefined && isMoved(line)
        ? `${dayOf(line.recordedAt)} → ${dayOf(line.at)}`
        : dayOf(line.at),
  };
  const columns: Column<Difference>[] = [
    {
      head: imports.differenceKind,
      class: 'minor',
      cell: ({ kind }) => imports.differenceKinds[kind],
    },
    {
      head: texts().common.order,
      cell: ({ kind, merchantOrderId }) =>
        orderView(merchantOrderId, imports.differenceKinds[kind]),
    },
    amountColumn(imports.amountInLedger, ({ recordedAmount }) => recordedAmount),
    amountColumn(imports.amountInFile, ({ amount }) => amount),
    ...(list.some(isMoved) ? [dates] : []),
  ];
  const listed = added + changed + removed;
  return html`<section class="card">
    <h2>${imports.difference(listed)}</h2>
    <p>${imports.differenceFrom(source, formats().day(from), formats().day(to))}</p>
    ${answersView(
      (['replace', 'add'] as const).map((name) =>
        choice(
          draft,
          'correction',
          { correction: name },
          html`${imports.correctionChoices[name]}<small class="quiet"
              >${imports.correctionOutcome(outcome[name])}</small
            >`,
        ),
      ),
    )}
    ${listed + kept > list.length ? quiet(imports.firstErrors(list.length)) : nothing}
    <console-table
      .label=${imports.difference(listed)}
      .columns=${columns}
      .rows=${list}
    ></console-table>
  </section>`;
}

function lookAlikesView(draft: Draft, { lookAlikes, lookAlikeCount }: LedgerImportRecord) {
  if (lookAlikeCount === 0) return nothing;
  const { imports } = texts();
  const columns: Column<LookAlike>[] = [
    {
      head: imports.line,
      class: 'end minor',
      cell: ({ line }) => formats().number(line),
    },
    {
      head: texts().common.order,
      cell: ({ line, merchantOrderId }) =>
        orderView(merchantOrderId, `${imports.line} ${formats().number(line)}`),
    },
    amountColumn(imports.amountInFile, ({ amount }) => amount),
    amountColumn(imports.amountInLedger, ({ recordedAmount }) => recordedAmount),
    {
      head: imports.inLedgerSince,
      class: 'minor',
      cell: ({ recordedDate }) => formats().day(new Date(recordedDate).toISOString()),
    },
    {
      head: texts().common.reason,
      class: 'minor',
      cell: ({ kind }) => imports.lookAlikeKinds[kind],
    },
  ];
  return html`<section class="card">
    ${answersView(
      (['replace', 'keepBoth'] as const).map((name) => {
        const text = html`${imports[name]}<small class="quiet">${imports[`${name}Help`]}</small>`;
        const answer = { replace: undefined, keepBoth: undefined, [name]: true };
        return choice(draft, 'look-alikes', answer, text);
      }),
    )}
    ${lookAlikeCount > lookAlikes.length ? quiet(imports.firstLookAlikes(lookAlikes.length)) : nothing}
    <console-table
      .label=${imports.lookAlikes(lookAlikeCount)}
      .columns=${columns}
      .rows=${lookAlikes}
    ></console-table>
  </section>`;
}
