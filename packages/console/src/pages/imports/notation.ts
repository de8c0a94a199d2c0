import { html, nothing, type TemplateResult } from 'lit';
import type {
  LedgerImportField,
  LedgerOptions,
  LedgerPreview,
} from '@financing-checkout/contract/reconciliation';
import {
  hasTwoAmounts,
  type LedgerQuestion,
  openQuestions,
} from '@financing-checkout/contract/plain';
import { formats, texts } from '../../locale/locale.ts';
import { checkField, inputField, type InputHints, selectField } from '../../parts/fields.ts';
import type { Draft } from './draft.ts';
import { meaningOf, samplesOf, type TypeMeant, withMeaning, wordsOf } from './options.ts';

/** Shows the number and date format options that cannot be inferred from the file. */
export function notationView(draft: Draft, preview: LedgerPreview): TemplateResult {
  const { imports } = texts();
  const { options } = draft;
  const { map = {}, settleAndRefund = false } = options;
  const questions = openQuestions(preview, options);
  const isAsked = (name: LedgerQuestion) => questions.includes(name) || options[name] !== undefined;
  const shown = [
    isAsked('units') &&
      select(draft, 'units', imports.units, { '': imports.pick, ...imports.unitChoices }),
    isAsked('decimal') &&
      options.units === 'major' &&
      select(draft, 'decimal', imports.decimal, { '': imports.detect, ...imports.decimals }),
    isAsked('dates') &&
      select(draft, 'dates', imports.dates, { '': imports.detect, ...imports.dateChoices }),
    options.dates === 'ddmm' &&
      inputField(
        imports.year,
        String(options.year ?? ''),
        (year) => draft.choose({ year: year === '' ? undefined : Number(year) }),
        { inputmode: 'numeric', maxlength: 4 },
      ),
    isAsked('currency') &&
      input(draft, 'currency', imports.currency, { placeholder: 'EUR', maxlength: 3 }),
    isAsked('zone') && zoneField(draft),
    isAsked('type') &&
      select(draft, 'type', imports.type, { '': imports.pick, ...imports.typeChoices }),
  ].filter((field) => field !== false);
  const both = checkField(imports.both, settleAndRefund, (isBoth) =>
    draft.choose({ settleAndRefund: isBoth || undefined }),
  );
  return html`<section class="card notation">
    <h2>${imports.notation}</h2>
    <div class="fields">${shown}</div>
    ${typesView(draft, preview)} ${hasTwoAmounts(map) ? both : nothing} ${rowsView(draft, preview)}
    ${fileView(draft, preview)}
  </section>`;
}

type TextOption = 'units' | 'decimal' | 'dates' | 'type' | 'currency' | 'zone';

function select(draft: Draft, name: TextOption, label: string, choices: Record<string, string>) {
  return selectField(label, choices, draft.options[name] ?? '', (value) =>
    draft.choose({ [name]: value === '' ? undefined : value }),
  );
}

function input(draft: Draft, name: 'currency' | 'zone', label: string, hints: InputHints) {
  const read = (text: string) => (name === 'currency' ? text.toUpperCase() : text);
  return inputField(
    label,
    draft.options[name] ?? '',
    (text) => draft.choose({ [name]: text === '' ? undefined : read(text) }),
    hints,
  );
}

function zoneField(draft: Draft) {
  const hints = { placeholder: formats().zone, list: 'zones', maxlength: 64 };
  return html`${input(draft, 'zone', texts().imports.zone, hints)}
    <datalist id="zones">
      ${Intl.supportedValuesOf('timeZone').map((zone) => html`<option value=${zone}></option>`)}
    </datalist>`;
}

/** Shows the values in the type column with their meanings. A preset has its own. */
function typesView(draft: Draft, preview: LedgerPreview) {
  const { imports } = texts();
  const { options, words: asked } = draft;
  const { preset, types } = options;
  const isAsked = types !== undefined || openQuestions(preview, options).includes('types');
  const words = new Set([
    ...(isAsked && !preset ? samplesOf(preview, options, 'type') : []),
    ...Object.values(types ?? {}).flat(),
    ...asked,
  ]);
  if (words.size === 0) return nothing;
  return html`<fieldset class="types">
    <legend>${imports.types}</legend>
    <p class="quiet">${imports.typesHelp}</p>
    <div class="fields">
      ${[...words].map((word) =>
        selectField(
          word,
          { '': imports.pick, ...imports.meanings },
          meaningOf(types, word) ?? '',
          (meaning) =>
            draft.choose({
              types: withMeaning(types, word, meaning === '' ? undefined : (meaning as TypeMeant)),
            }),
          { ariaLabel: imports.meaning(word) },
        ),
      )}
    </div>
  </fieldset>`;
}

/**
 * Returns the values that may be empty in a row, with their labels: mapped fields, the amount from
 * two columns, and the file's other columns. The API interprets a field's name as the field.
 */
function lackable({ map = {}, skipRowsWithout = [] }: LedgerOptions, columns: readonly string[]) {
  const { fields, without, withoutColumn } = texts().imports;
  const isShown = (field: LedgerImportField) =>
    map[field] !== undefined || field === 'amount' || skipRowsWithout.includes(field);
  const names = (Object.keys(fields) as LedgerImportField[]).filter(isShown);
  const mapped = new Set(Object.values(map));
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
  const { only = {}, skipRowsWithout = [], ...options } = draft.options;
  const [[onlyColumn, onlyValues] = ['', []]] = Object.entries(only);
  const { fields, others } = lackable(draft.options, preview.columns);
  const lacking = ({ name, label }: { name: string; label: string }) =>
    checkField(label, skipRowsWithout.includes(name), (isSet) =>
      draft.choose({
        skipRowsWithout: isSet
          ? [...skipRowsWithout, name]
          : skipRowsWithout.filter((one) => one !== name),
      }),
    );
  const columns = preview.columns.map((name) => [name, name] as const);
  const switches = Object.keys(imports.switches) as (keyof typeof imports.switches)[];
  return html`<details>
    <summary>${imports.rows}</summary>
    <div class="checks">
      ${fields.map(lacking)} ${others.map(lacking)}
      ${switches.map((name) =>
        checkField(imports.switches[name], options[name] === true, (isSet) =>
          draft.choose({ [name]: isSet || undefined }),
        ),
      )}
    </div>
    <div class="fields">
      ${selectField(
        imports.onlyColumn,
        [['', imports.noColumn], ...columns],
        onlyColumn,
        (column) => draft.choose({ only: column === '' ? undefined : { [column]: onlyValues } }),
      )}
      ${inputField(
        imports.onlyValues,
        onlyValues.join(', '),
        (words) => draft.choose({ only: { [onlyColumn]: wordsOf(words) } }),
        { disabled: onlyColumn === '' },
      )}
    </div>
  </details>`;
}

const encodings = ['', 'utf-8', 'windows-1252', 'iso-8859-15', 'utf-16le', 'macintosh'];

/** Shows the file format options. Reloads the preview after each change. */
function fileView(draft: Draft, { sheets }: LedgerPreview) {
  const { imports } = texts();
  const { preset = '', delimiter = '', encoding = '' } = draft.options;
  const change = (changed: LedgerOptions) => {
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
      (value) => change({ delimiter: value || undefined }),
    ),
    selectField(imports.encoding, known, encoding, (value) =>
      change({ encoding: value || undefined }),
    ),
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
