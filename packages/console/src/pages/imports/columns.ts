import { html, nothing, type TemplateResult } from 'lit';
import type {
  LedgerImportField,
  LedgerOptions,
  LedgerPreview,
} from '@financing-checkout/contract/reconciliation';
import { hasTwoAmounts } from '@financing-checkout/contract/plain';
import { formats, texts } from '../../locale/locale.ts';
import { checkField, selectField } from '../../parts/fields.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { maybe, quiet } from '../../parts/views.ts';
import type { Draft } from './draft.ts';
import { type Mapping, missingFields, samplesOf } from './options.ts';

const optionalFields: readonly LedgerImportField[] = [
  'time',
  'zone',
  'merchantTransaction',
  'charge',
];

/** Number of sample values that show what a column contains. */
const SAMPLES = 3;

/** Shows which column maps to which field, next to the first rows. */
export function columnsView(draft: Draft, preview: LedgerPreview): TemplateResult {
  const { imports } = texts();
  const { map = {}, preset } = draft.options;
  const isTwo = hasTwoAmounts(map);
  const amounts: LedgerImportField[] = isTwo ? ['settled', 'refunded'] : ['amount'];
  const isPreset = Boolean(preset);
  const fields: LedgerImportField[] = [
    'order',
    ...amounts,
    'date',
    'type',
    'currency',
    'transaction',
  ];
  const isMoreOpen = optionalFields.some((field) => map[field] !== undefined);
  return html`<section class="card assign">
    <div>
      <h2>${imports.columns}</h2>
      ${isPreset || Object.keys(preview.proposal.map ?? {}).length === 0 ? nothing : quiet(imports.proposedColumns)}
      ${
        isPreset
          ? nothing
          : html`<fieldset class="choice">
              <legend>${imports.amounts}</legend>
              ${[false, true].map((two) =>
                checkField(
                  two ? imports.twoAmounts : imports.oneAmount,
                  isTwo === two,
                  () => setAmounts(draft, two),
                  { type: 'radio', name: 'amounts' },
                ),
              )}
            </fieldset>`
      }
      <div class="fields">${fields.map((field) => fieldView(draft, preview, field))}</div>
      <details ?open=${isMoreOpen}>
        <summary>${imports.moreFields}</summary>
        <div class="fields">${optionalFields.map((field) => fieldView(draft, preview, field))}</div>
      </details>
    </div>
    ${previewView(draft, preview)}
  </section>`;
}

function setAmounts(draft: Draft, isTwo: boolean): void {
  const { amount, settled, refunded, ...others } = draft.options.map ?? {};
  const column = amount ?? settled ?? refunded ?? '';
  draft.choose({
    map: isTwo
      ? { ...others, settled: column, refunded: '' }
      : column === ''
        ? others
        : { ...others, amount: column },
  });
}

function fieldView(draft: Draft, preview: LedgerPreview, field: LedgerImportField) {
  const { imports } = texts();
  const { options } = draft;
  const column = options.map?.[field] ?? '';
  const isMissing = missingFields(options).includes(field);
  const samples = [...new Set(samplesOf(preview, options, field))].slice(0, SAMPLES);
  // A preset's column cannot be removed, only replaced.
  const isFixed = Boolean(options.preset) && preview.proposal.map?.[field] !== undefined;
  const name = imports.fields[field];
  const required = html`<em class="problem">${imports.required}</em>`;
  const columns = preview.columns.map((one) => [one, one] as const);
  return selectField(
    html`${name} ${isMissing ? required : nothing}`,
    isFixed ? columns : [['', imports.noColumn], ...columns],
    column,
    (chosen) => assign(draft, preview, field, chosen),
    {
      ariaLabel: imports.columnOf(name),
      isInvalid: isMissing,
      hint: samples.length === 0 ? nothing : imports.samples(samples.join(' · ')),
    },
  );
}

function assign(draft: Draft, preview: LedgerPreview, field: LedgerImportField, column: string) {
  const others = Object.entries(draft.options.map ?? {}).filter(([name]) => name !== field);
  // There are still two amount columns while one of them is unassigned.
  const isKept = column !== '' || field === 'settled' || field === 'refunded';
  const entries = isKept ? [...others, [field, column]] : others;
  const map = Object.fromEntries(entries) as Mapping;
  draft.choose({ map, ...notationIn(draft, preview, field, column) });
}

/** Returns the options suggested by the values in a field's new column. */
function notationIn(
  { options }: Draft,
  { columns, format, readings }: LedgerPreview,
  field: LedgerImportField,
  column: string,
): LedgerOptions {
  if (options.preset || format !== 'csv') return {};
  const reading = readings[columns.indexOf(column)];
  if (field === 'date') return { dates: reading?.dates };
  if (field === 'type') return { types: reading?.types };
  if (!['amount', 'settled', 'refunded'].includes(field)) return {};
  return { units: reading?.units ?? options.units, decimal: reading?.decimal };
}

function previewView({ options }: Draft, { columns, rows }: LedgerPreview) {
  const { common, imports } = texts();
  const fieldOf = (column: string) =>
    Object.entries(options.map ?? {}).find(([, name]) => name === column)?.[0] as
      | LedgerImportField
      | undefined;
  const shown = columns.map((column, index): Column<string[]> => {
    const field = fieldOf(column);
    return {
      head: html`${column}
      ${maybe(
        field && imports.fields[field],
        (name) =>
          html`<span class="reads"><span class="sr">${imports.reads('')}</span>${name}</span>`,
      )}`,
      class: field === undefined ? 'open' : 'mapped',
      cell: (row) => row[index] ?? '',
    };
  });
  return html`<div class="first-rows">
    <h2>${imports.preview}</h2>
    ${tableView({ label: imports.preview, columns: shown, rows, area: 'scroll' })}
    <p class="quiet count">
      ${common.rows(rows.length)} · ${formats().number(columns.length)} ${imports.columns}
    </p>
  </div>`;
}
