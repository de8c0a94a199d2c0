import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { formats, texts } from '../locale/locale.ts';
import { setFilters } from './navigation.ts';
import { maybe } from './views.ts';

/** Returns the value of the field that fired an event. */
export function valueOf({ currentTarget }: Event): string {
  return (currentTarget as HTMLInputElement | HTMLSelectElement).value;
}

/** Returns the trimmed value of a form's text field. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

type Options =
  | readonly (readonly [value: string, text: string])[]
  | Readonly<Record<string, string>>;

/** Shows the options of a select field. */
function optionsOf(options: Options, chosen: string) {
  const list = Array.isArray(options) ? (options as [string, string][]) : Object.entries(options);
  return list.map(
    ([value, text]) =>
      html`<option value=${value} .selected=${live(value === chosen)}>${text}</option>`,
  );
}

interface SelectHints {
  name?: string;
  /** Name for screen readers, if it differs from the label. */
  ariaLabel?: string;
  class?: string;
  hint?: unknown;
  disabled?: boolean;
  isInvalid?: boolean;
  /** Whether the label is visually hidden, so that only screen readers read it. */
  hidesLabel?: boolean;
}

/** Shows a select field. */
export function selectField(
  label: unknown,
  options: Options,
  chosen: string,
  set: ((value: string) => void) | undefined,
  { name, ariaLabel, class: style = 'field', hint, ...more }: SelectHints = {},
): TemplateResult {
  const { disabled, isInvalid, hidesLabel } = more;
  return html`<label class=${style}>
    <span class=${hidesLabel ? 'sr' : nothing}>${label}</span>
    <select
      name=${name ?? nothing}
      aria-label=${ariaLabel ?? nothing}
      aria-invalid=${isInvalid ? 'true' : nothing}
      ?disabled=${disabled}
      @change=${(event: Event) => set?.(valueOf(event))}
    >
      ${optionsOf(options, chosen)}
    </select>
    ${maybe(hint, (text) => html`<small class="quiet">${text}</small>`)}
  </label>`;
}

export interface InputHints {
  name?: string;
  type?: 'number';
  class?: string;
  placeholder?: string;
  list?: string;
  inputmode?: 'decimal' | 'numeric';
  maxlength?: number;
  max?: number;
  disabled?: boolean;
}

/** Shows a single-line input for text or a number. */
export function inputField(
  label: unknown,
  value: string,
  set: ((value: string, input: HTMLInputElement) => void) | undefined,
  hints: InputHints = {},
): TemplateResult {
  const {
    name,
    type,
    class: style,
    placeholder,
    list,
    inputmode,
    maxlength,
    max,
    disabled,
  } = hints;
  return html`<label class="field">
    <span>${label}</span>
    <input
      name=${name ?? nothing}
      class=${style ?? nothing}
      type=${type ?? 'text'}
      placeholder=${placeholder ?? nothing}
      list=${list ?? nothing}
      inputmode=${inputmode ?? nothing}
      maxlength=${maxlength ?? nothing}
      min=${type === 'number' ? 0 : nothing}
      max=${max ?? nothing}
      autocomplete="off"
      spellcheck="false"
      ?disabled=${disabled}
      .value=${value}
      @change=${({ currentTarget }: Event) => {
        const input = currentTarget as HTMLInputElement;
        set?.(input.value.trim(), input);
      }}
    />
  </label>`;
}

/** First and last year of a plausible date. A year that is still being typed is 0002 or 0202. */
const YEARS = { from: 2000, to: 2100 };

/** Returns why the date in a field cannot be used; undefined if it can, or if there is none. */
function dateProblem({ validity, value }: HTMLInputElement): string | undefined {
  const { common } = texts();
  if (validity.badInput) return common.dateIncomplete;
  const year = Number(value.slice(0, value.indexOf('-')));
  const isPlausible = value === '' || (year >= YEARS.from && year <= YEARS.to);
  return isPlausible ? undefined : common.dateImplausible(YEARS.from, YEARS.to);
}

/**
 * Shows a field for a day in the business time zone. A typed date is set when the user leaves the
 * field or presses Enter, if it is complete and plausible; a date picked in the calendar is set at
 * once. Its `change` events do not bubble.
 */
export function dateField(
  label: unknown,
  value: string,
  set: (value: string) => void,
  { name }: Pick<InputHints, 'name'> = {},
): TemplateResult {
  const commit = (input: HTMLInputElement) => {
    delete input.dataset.typed;
    const problem = dateProblem(input);
    input.ariaInvalid = problem === undefined ? null : 'true';
    const note = input.parentElement?.querySelector('.problem');
    if (note) note.textContent = problem ?? '';
    if (problem === undefined && input.value !== value) set(input.value);
  };
  const fieldOf = ({ currentTarget }: Event) => currentTarget as HTMLInputElement;
  return html`<label class="field date">
    <span>${label}</span>
    <input
      name=${name ?? nothing}
      type="date"
      autocomplete="off"
      title=${texts().common.zone(formats().zone)}
      .value=${value}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key === 'Enter') commit(fieldOf(event));
        else if (event.key !== 'Tab') fieldOf(event).dataset.typed = '';
      }}
      @change=${(event: Event) => {
        event.stopPropagation();
        if (fieldOf(event).dataset.typed === undefined) commit(fieldOf(event));
      }}
      @blur=${(event: Event) => {
        if (fieldOf(event).dataset.typed !== undefined) commit(fieldOf(event));
      }}
    />
    <small class="problem" role="alert"></small>
  </label>`;
}

interface CheckHints {
  type?: 'radio' | 'checkbox';
  name?: string;
  value?: string;
  disabled?: boolean;
}

/** Shows a checkbox or a radio button. */
export function checkField(
  label: unknown,
  isSet: boolean,
  set: (isSet: boolean) => void,
  { type = 'checkbox', name, value, disabled }: CheckHints = {},
): TemplateResult {
  return html`<label class="check">
    <input
      type=${type}
      name=${name ?? nothing}
      value=${value ?? nothing}
      ?disabled=${disabled}
      .checked=${isSet}
      @change=${({ currentTarget }: Event) => set((currentTarget as HTMLInputElement).checked)}
    />
    <span>${label}</span>
  </label>`;
}

/** Shows a filter set by another page, with a button that removes it. */
export function filterPill(text: string, removed: Record<string, undefined>): TemplateResult {
  return html`<button
    type="button"
    class="pill"
    aria-pressed="true"
    @click=${() => setFilters(removed)}
  >
    ${text} <wa-icon name="x" label=${texts().common.clear}></wa-icon>
  </button>`;
}
