import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
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
  /** Name for screen readers if it differs from the label. */
  ariaLabel?: string;
  class?: string;
  hint?: unknown;
  disabled?: boolean;
  isInvalid?: boolean;
  /** Whether the label is visually hidden, for screen readers only. */
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
  type?: 'date' | 'number';
  class?: string;
  placeholder?: string;
  list?: string;
  inputmode?: 'decimal' | 'numeric';
  maxlength?: number;
  max?: number;
  disabled?: boolean;
}

/** Shows a single-line input for text, a date or a number. */
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
