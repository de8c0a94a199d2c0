import { html, nothing, type TemplateResult } from 'lit';
import type { LedgerImportField, LedgerPreview } from '@financing-checkout/contract';
import { formats, texts } from '../../locale/locale.ts';
import { checkField, inputField, type InputHints, selectField } from '../../parts/fields.ts';
import type { Draft } from './draft.ts';
import {
  type Choices,
  hasTwoAmounts,
  needsNotation,
  samplesOf,
  type TypeMeant,
} from './options.ts';

/** Shows the number and date format options that cannot be inferred from the file. */
export function notationView(draft: Draft, preview: LedgerPreview): TemplateResult {
  const { imports } = texts();
  const { choices } = draft;
  const isOpen = choices.preset === '';
  const isCsv = preview.format === 'csv';
  const dates = samplesOf(preview, choices, 'date');
  const isTimed = dates.some((text) => !/(?:Z|UTC|GMT|[+-]\d{2}:?\d{0,2})$/.test(text));
  const shown = [
    isOpen &&
      isCsv &&
      select(draft, 'units', imports.units, { '': imports.pick, ...imports.unitChoices }),
    isOpen &&
      choices.units === 'major' &&
      select(draft, 'decimal', imports.decimal, { '': imports.detect, ...imports.decimals }),
    (needsNotation(dates) || choices.dates !== '') &&
      select(draft, 'dates', imports.dates, { '': imports.detect, ...imports.dateChoices }),
    choices.dates === 'ddmm' &&
      input(draft, 'year', imports.year, { inputmode: 'numeric', maxlength: 4 }),
    choices.mapping.currency === undefined &&
      input(draft, 'currency', imports.currency, { placeholder: 'EUR', maxlength: 3 }),
    isTimed && choices.mapping.zone === undefined && zoneField(draft),
    choices.mapping.type === undefined &&
      !hasTwoAmounts(choices) &&
      select(draft, 'type', imports.type, { '': imports.pick, ...imports.typeChoices }),
  ].filter((field) => field !== false);
  const both = checkField(imports.both, choices.settleAndRefund, (settleAndRefund) =>
    draft.choose({ settleAndRefund }),
  );
  return html`<section class="card notation">
    <h2>${imports.notation}</h2>
    <div class="fields">${shown}</div>
    ${typesView(draft, preview)} ${hasTwoAmounts(choices) ? both : nothing}
    ${rowsView(draft, preview)} ${fileView(draft, preview)}
  </section>`;
}

type TextChoice = 'units' | 'decimal' | 'dates' | 'type' | 'currency' | 'zone' | 'year';

function select(draft: Draft, name: TextChoice, label: string, options: Record<string, string>) {
  return selectField(label, options, draft.choices[name], (value) =>
    draft.choose({ [name]: value }),
  );
}

function input(draft: Draft, name: TextChoice, label: string, hints: InputHints) {
  return inputField(label, draft.choices[name], (value) => draft.choose({ [name]: value }), hints);
}

function zoneField(draft: Draft) {
  const hints = { placeholder: formats().zone, list: 'zones', maxlength: 64 };
  return html`${input(draft, 'zone', texts().imports.zone, hints)}
    <datalist id="zones">
      ${Intl.supportedValuesOf('timeZone').map((zone) => html`<option value=${zone}></option>`)}
    </datalist>`;
}

/** Values of the type column that need no mapping. */
const usual = /^(?:settle|refund)$/i;

/** Shows the values of the type column with their mapping. A preset has its own mapping. */
function typesView(draft: Draft, preview: LedgerPreview) {
  const { imports } = texts();
  const { choices } = draft;
  const words = new Set([
    ...(choices.preset === '' ? samplesOf(preview, choices, 'type') : []),
    ...Object.keys(choices.types),
  ]);
  if ([...words].every((word) => usual.test(word))) {
    return nothing;
  }
  return html`<fieldset class="types">
    <legend>${imports.types}</legend>
    <p class="quiet">${imports.typesHelp}</p>
    <div class="fields">
      ${[...words].map((word) =>
        selectField(
          word,
          { '': imports.pick, ...imports.meanings },
          choices.types[word] ?? '',
          (meaning) =>
            draft.choose({ types: { ...draft.choices.types, [word]: meaning as TypeMeant } }),
          { ariaLabel: imports.meaning(word) },
        ),
      )}
    </div>
  </fieldset>`;
}

/**
 * Returns the values that may be empty in a row, with their labels: mapped fields, the amount from
 * two columns, and the other columns of the file. The API reads the name of a field as the field.
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
    checkField(label, skipRowsWithout.includes(name), (isSet) =>
      draft.choose({
        skipRowsWithout: isSet
          ? [...skipRowsWithout, name]
          : skipRowsWithout.filter((one) => one !== name),
      }),
    );
  const columns = preview.columns.map((name) => [name, name] as const);
  return html`<details>
    <summary>${imports.rows}</summary>
    <div class="checks">
      ${fields.map(lacking)} ${others.map(lacking)}
      ${checkField(imports.otherTypes, choices.skipOtherTypes, (skipOtherTypes) =>
        draft.choose({ skipOtherTypes }),
      )}
    </div>
    <div class="fields">
      ${selectField(
        imports.onlyColumn,
        [['', imports.noColumn], ...columns],
        choices.onlyColumn,
        (onlyColumn) => draft.choose({ onlyColumn }),
      )}
      ${inputField(
        imports.onlyValues,
        choices.onlyValues,
        (onlyValues) => draft.choose({ onlyValues }),
        { disabled: choices.onlyColumn === '' },
      )}
    </div>
  </details>`;
}

const encodings = ['', 'utf-8', 'windows-1252', 'iso-8859-15', 'utf-16le', 'macintosh'];

/** Shows the options about the file format. The preview is reloaded after each change. */
function fileView(draft: Draft, { sheets }: LedgerPreview) {
  const { imports } = texts();
  const { preset, delimiter, encoding } = draft.choices;
  const change = (changed: Partial<Choices>) => {
    draft.choose(changed);
    void draft.readBeginning();
  };
  const known = [...new Set([...encodings, encoding])].map(
    (name) => [name, name || imports.detect] as const,
  );
  const textForm = [
    selectField(
      imports.delimiter,
      { '': imports.detect, ...imports.delimiters },
      delimiter,
      (value) => change({ delimiter: value }),
    ),
    selectField(imports.encoding, known, encoding, (value) => change({ encoding: value })),
  ];
  return html`<details>
    <summary>${imports.fileForm}</summary>
    <div class="fields">
      ${selectField(imports.preset, { '': imports.noPreset, ...imports.presets }, preset, (value) =>
        draft.usePreset(value),
      )}
      ${sheets === undefined ? textForm : nothing}
    </div>
  </details>`;
}
