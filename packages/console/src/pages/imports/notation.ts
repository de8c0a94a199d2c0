import { html, nothing, type TemplateResult } from 'lit';
import type { LedgerImportField, LedgerPreview } from '@financing-checkout/contract';
import { formats, texts } from '../../locale/locale.ts';
import { valueOf } from './columns.ts';
import type { Draft } from './draft.ts';
import {
  type Choices,
  hasTwoAmounts,
  needsNotation,
  presets,
  samplesOf,
  type TypeMeant,
} from './options.ts';

/** Shows how values are written, where the file leaves it open. */
export function notationView(draft: Draft, preview: LedgerPreview): TemplateResult {
  const { imports } = texts();
  const { choices } = draft;
  const isOpen = choices.preset === '';
  const isCsv = preview.format === 'csv';
  const dates = samplesOf(preview, choices, 'date');
  const isTimed = dates.some((text) => !/(?:Z|UTC|GMT|[+-]\d{2}:?\d{0,2})$/.test(text));
  const shown = [
    ...(isOpen && isCsv
      ? [select(draft, 'units', imports.units, { '': imports.pick, ...imports.unitChoices })]
      : []),
    ...(isOpen && choices.units === 'major'
      ? [select(draft, 'decimal', imports.decimal, imports.decimals)]
      : []),
    ...(needsNotation(dates) || choices.dates !== ''
      ? [select(draft, 'dates', imports.dates, { '': imports.datesDetect, ...imports.dateChoices })]
      : []),
    ...(choices.dates === 'ddmm'
      ? [input(draft, 'year', imports.year, { inputmode: 'numeric', maxlength: 4 })]
      : []),
    ...(choices.mapping.currency === undefined
      ? [input(draft, 'currency', imports.currency, { placeholder: 'EUR', maxlength: 3 })]
      : []),
    ...(isTimed && choices.mapping.zone === undefined
      ? [
          input(draft, 'zone', imports.zone, {
            placeholder: formats().zone,
            list: 'zones',
            maxlength: 64,
          }),
          html`<datalist id="zones">
            ${Intl.supportedValuesOf('timeZone').map((zone) => html`<option value=${zone}></option>`)}
          </datalist>`,
        ]
      : []),
    ...(choices.mapping.type === undefined && !hasTwoAmounts(choices)
      ? [select(draft, 'type', imports.type, { '': imports.pick, ...imports.typeChoices })]
      : []),
  ];
  return html`<section class="card notation">
    <h2>${imports.notation}</h2>
    <div class="fields">${shown}</div>
    ${typesView(draft, preview)}
    ${
      hasTwoAmounts(choices)
        ? check(imports.both, choices.settleAndRefund, (isSet) =>
            draft.choose({ settleAndRefund: isSet }),
          )
        : nothing
    }
    ${rowsView(draft, preview)} ${fileView(draft, preview)}
  </section>`;
}

type TextChoice = 'units' | 'decimal' | 'dates' | 'type' | 'currency' | 'zone' | 'year';

function select(draft: Draft, name: TextChoice, label: string, options: Record<string, string>) {
  return html`<label class="field">
    <span>${label}</span>
    <select @change=${(event: Event) => draft.choose({ [name]: valueOf(event) })}>
      ${optionsOf(options, draft.choices[name])}
    </select>
  </label>`;
}

function optionsOf(options: Record<string, string>, chosen: string) {
  return Object.entries(options).map(
    ([value, text]) => html`<option value=${value} .selected=${value === chosen}>${text}</option>`,
  );
}

interface InputHints {
  placeholder?: string;
  list?: string;
  inputmode?: string;
  maxlength: number;
}

function input(draft: Draft, name: TextChoice, label: string, hints: InputHints) {
  return html`<label class="field">
    <span>${label}</span>
    <input
      .value=${draft.choices[name]}
      placeholder=${hints.placeholder ?? nothing}
      list=${hints.list ?? nothing}
      inputmode=${hints.inputmode ?? nothing}
      maxlength=${hints.maxlength}
      autocomplete="off"
      spellcheck="false"
      @change=${(event: Event) => draft.choose({ [name]: valueOf(event).trim() })}
    />
  </label>`;
}

function check(label: string, isSet: boolean, set: (isSet: boolean) => void) {
  return html`<label class="check">
    <input
      type="checkbox"
      .checked=${isSet}
      @change=${(event: Event) => set((event.currentTarget as HTMLInputElement).checked)}
    />
    ${label}
  </label>`;
}

/** Words that need no meaning. */
const usual = /^(?:settle|refund)$/i;

/** Shows the words of the type column, each with its meaning. A preset knows its own. */
function typesView(draft: Draft, preview: LedgerPreview) {
  const { imports } = texts();
  const { choices } = draft;
  const words = new Set([
    ...(choices.preset === '' ? samplesOf(preview, choices, 'type') : []),
    ...Object.keys(choices.types),
  ]);
  if ([...words].every((word) => usual.test(word) && choices.types[word] === undefined)) {
    return nothing;
  }
  return html`<fieldset class="types">
    <legend>${imports.types}</legend>
    <p class="quiet">${imports.typesHelp}</p>
    <div class="fields">
      ${[...words].map(
        (word) =>
          html`<label class="field">
            <span>${word}</span>
            <select
              aria-label=${imports.meaning(word)}
              @change=${(event: Event) =>
                draft.choose({
                  types: { ...draft.choices.types, [word]: valueOf(event) as TypeMeant },
                })}
            >
              ${optionsOf(imports.meanings, choices.types[word] ?? '')}
            </select>
          </label>`,
      )}
    </div>
  </fieldset>`;
}

/**
 * Returns what a row may lack, with its label: fields with a column, the amount of two columns, and the
 * other columns of the file. The API reads the name of a field as the field.
 */
function lackable({ mapping, skipRowsWithout }: Choices, columns: readonly string[]) {
  const { fields, without, withoutColumn } = texts().imports;
  const isShown = (field: LedgerImportField) =>
    mapping[field] !== undefined || field === 'amount' || skipRowsWithout.includes(field);
  const names = (Object.keys(fields) as LedgerImportField[]).filter(isShown);
  const mapped = new Set(Object.values(mapping));
  const others = [...new Set(columns)].filter(
    (name) =>
      name !== '' &&
      !Object.hasOwn(fields, name) &&
      (!mapped.has(name) || skipRowsWithout.includes(name)),
  );
  return {
    fields: names.map((name) => ({ name, label: without(fields[name]) })),
    others: others.map((name) => ({ name, label: withoutColumn(name) })),
  };
}

function rowsView(draft: Draft, preview: LedgerPreview) {
  const { imports } = texts();
  const { choices } = draft;
  const { skipRowsWithout } = choices;
  const { fields, others } = lackable(choices, preview.columns);
  const lacking = ({ name, label }: { name: string; label: string }) =>
    check(label, skipRowsWithout.includes(name), (isSet) =>
      draft.choose({
        skipRowsWithout: isSet
          ? [...skipRowsWithout, name]
          : skipRowsWithout.filter((one) => one !== name),
      }),
    );
  return html`<details>
    <summary>${imports.rows}</summary>
    <div class="checks">
      ${fields.map(lacking)} ${others.map(lacking)}
      ${check(imports.otherTypes, choices.skipOtherTypes, (isSet) =>
        draft.choose({ skipOtherTypes: isSet }),
      )}
    </div>
    <div class="fields">
      <label class="field">
        <span>${imports.onlyColumn}</span>
        <select @change=${(event: Event) => draft.choose({ onlyColumn: valueOf(event) })}>
          <option value="" .selected=${choices.onlyColumn === ''}>${imports.noColumn}</option>
          ${preview.columns.map(
            (name) =>
              html`<option value=${name} .selected=${name === choices.onlyColumn}>${name}</option>`,
          )}
        </select>
      </label>
      <label class="field">
        <span>${imports.onlyValues}</span>
        <input
          .value=${choices.onlyValues}
          ?disabled=${choices.onlyColumn === ''}
          autocomplete="off"
          @change=${(event: Event) => draft.choose({ onlyValues: valueOf(event) })}
        />
      </label>
    </div>
  </details>`;
}

const encodings = ['', 'utf-8', 'windows-1252', 'iso-8859-15', 'utf-16le', 'macintosh'];

/** Shows how the file is written. The beginning is read anew after each change. */
function fileView(draft: Draft, { sheets }: LedgerPreview) {
  const { imports } = texts();
  const { preset, delimiter, encoding } = draft.choices;
  const change = (changed: Partial<Choices>) => {
    draft.choose(changed);
    void draft.readBeginning();
  };
  const field = (label: string, view: unknown, set: (value: string) => void) =>
    html`<label class="field">
      <span>${label}</span>
      <select @change=${(event: Event) => set(valueOf(event))}>
        ${view}
      </select>
    </label>`;
  const textFormView = () =>
    html`${field(imports.delimiter, optionsOf(imports.delimiters, delimiter), (value) =>
      change({ delimiter: value }),
    )}
    ${field(
      imports.encoding,
      optionsOf(
        Object.fromEntries(
          [...new Set([...encodings, encoding])].map((name) => [name, name || imports.detect]),
        ),
        encoding,
      ),
      (value) => change({ encoding: value }),
    )}`;
  return html`<details>
    <summary>${imports.fileForm}</summary>
    <div class="fields">
      ${field(
        imports.preset,
        optionsOf(
          {
            '': imports.noPreset,
            ...Object.fromEntries(presets.map((name) => [name, imports.presets[name]])),
          },
          preset,
        ),
        (value) => draft.usePreset(value),
      )}
      ${sheets === undefined ? textFormView() : nothing}
    </div>
  </details>`;
}
