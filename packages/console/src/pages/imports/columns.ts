import { html, nothing, type TemplateResult } from 'lit';
import type { LedgerImportField, LedgerPreview } from '@financing-checkout/contract';
import { formats, texts } from '../../locale/locale.ts';
import type { Draft } from './draft.ts';
import { hasTwoAmounts, missingFields, renewed, samplesOf } from './options.ts';

const optionalFields: readonly LedgerImportField[] = [
  'time',
  'zone',
  'merchantTransaction',
  'charge',
];

/** Shows which column is read as which field, beside the first rows. */
export function columnsView(draft: Draft, preview: LedgerPreview): TemplateResult {
  const { imports } = texts();
  const { choices } = draft;
  const isTwo = hasTwoAmounts(choices);
  const amounts: LedgerImportField[] = isTwo ? ['settled', 'refunded'] : ['amount'];
  const isPreset = choices.preset !== '';
  const fields: LedgerImportField[] = [
    'order',
    ...amounts,
    'date',
    'type',
    'currency',
    'transaction',
  ];
  const isMoreOpen = optionalFields.some((field) => choices.mapping[field] !== undefined);
  return html`<section class="card assign">
    <div>
      <h2>${imports.columns}</h2>
      ${
        isPreset
          ? nothing
          : html`<fieldset class="choice">
              <legend>${imports.amounts}</legend>
              ${[false, true].map(
                (two) =>
                  html`<label class="check">
                    <input
                      type="radio"
                      name="amounts"
                      .checked=${isTwo === two}
                      @change=${() => setAmounts(draft, two)}
                    />
                    ${two ? imports.twoAmounts : imports.oneAmount}
                  </label>`,
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
  const { amount, settled, refunded, ...mapping } = draft.choices.mapping;
  const column = amount ?? settled ?? refunded ?? '';
  draft.choose({
    mapping: isTwo
      ? { ...mapping, settled: column, refunded: '' }
      : { ...mapping, ...(column === '' ? {} : { amount: column }) },
  });
}

function fieldView(draft: Draft, preview: LedgerPreview, field: LedgerImportField) {
  const { imports } = texts();
  const { choices } = draft;
  const column = choices.mapping[field] ?? '';
  const isMissing = missingFields(choices).includes(field);
  const [sample] = samplesOf(preview, choices, field);
  // A preset's own column cannot be removed, only replaced.
  const isFixed = choices.preset !== '' && preview.mapping[field] !== undefined;
  return html`<label class="field">
    <span>
      ${imports.fields[field]}
      ${isMissing ? html`<em class="problem">${imports.required}</em>` : nothing}
    </span>
    <select
      aria-label=${imports.columnOf(imports.fields[field])}
      aria-invalid=${isMissing ? 'true' : 'false'}
      @change=${(event: Event) => assign(draft, preview, field, valueOf(event))}
    >
      ${
        isFixed
          ? nothing
          : html`<option value="" .selected=${column === ''}>${imports.noColumn}</option>`
      }
      ${preview.columns.map(
        (name) => html`<option value=${name} .selected=${name === column}>${name}</option>`,
      )}
    </select>
    <small class="quiet">${sample === undefined ? nothing : imports.example(sample)}</small>
  </label>`;
}

function assign(draft: Draft, preview: LedgerPreview, field: LedgerImportField, column: string) {
  const others = Object.fromEntries(
    Object.entries(draft.choices.mapping).filter(([name]) => name !== field),
  );
  // Two columns of amounts stay two, also while one is not assigned.
  const isKept = column !== '' || field === 'settled' || field === 'refunded';
  const mapping = isKept ? { ...others, [field]: column } : others;
  const choices = { ...draft.choices, mapping };
  const isNotation = ['amount', 'settled', 'refunded', 'date'].includes(field);
  const isRenewed = isNotation && choices.preset === '' && preview.format === 'csv';
  draft.choose(isRenewed ? renewed(preview, choices) : choices);
}

export function valueOf(event: Event): string {
  return (event.currentTarget as HTMLSelectElement | HTMLInputElement).value;
}

function previewView({ choices }: Draft, { columns, rows }: LedgerPreview) {
  const { imports } = texts();
  const fieldOf = (column: string) =>
    Object.entries(choices.mapping).find(([, name]) => name === column)?.[0] as
      LedgerImportField | undefined;
  const fields = columns.map(fieldOf);
  return html`<div class="first-rows">
    <h2>${imports.preview}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label=${imports.preview}>
      <table>
        <caption class="sr">
          ${imports.preview}
        </caption>
        <thead>
          <tr>
            ${columns.map((column, index) => {
              const field = fields[index];
              return html`<th scope="col" class=${field === undefined ? '' : 'mapped'}>
                ${column}
                ${
                  field === undefined
                    ? nothing
                    : html`<span class="reads"
                        ><span class="sr">${imports.reads('')}</span>${imports.fields[field]}</span
                      >`
                }
              </th>`;
            })}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${columns.map(
                  (_, index) =>
                    html`<td class=${fields[index] === undefined ? 'quiet' : 'mapped'}>
                      ${row[index] ?? ''}
                    </td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="quiet count">
      ${texts().common.rows(rows.length)} · ${formats().number(columns.length)} ${imports.columns}
    </p>
  </div>`;
}
