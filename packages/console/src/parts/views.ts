import { html, nothing, type TemplateResult } from 'lit';
import { texts } from '../locale/locale.ts';

type Variant = 'success' | 'warning' | 'danger' | 'neutral';

const icons = {
  success: 'circle-check',
  warning: 'triangle-alert',
  danger: 'circle-alert',
  neutral: 'info',
} as const;

/** Renders a value if it is defined. */
export function maybe<Value>(value: Value | undefined, view: (value: Value) => unknown): unknown {
  return value === undefined ? nothing : view(value);
}

/** Shows a state as a colored badge. */
export function badgeView(variant: Variant | 'brand', text: string): TemplateResult {
  return html`<wa-badge variant=${variant} appearance="filled">${text}</wa-badge>`;
}

interface CalloutHints {
  role?: 'alert' | 'status';
  icon?: string;
  /** Small size, for use next to other content. */
  size?: 's';
}

/** Shows a callout. */
export function calloutView(
  variant: Variant,
  content: unknown,
  { role = 'status', icon = icons[variant], size }: CalloutHints = {},
): TemplateResult {
  return html`<wa-callout class="state" variant=${variant} role=${role} size=${size ?? nothing}>
    <wa-icon slot="icon" name=${icon}></wa-icon>${content}
  </wa-callout>`;
}

/** Shows an input's error message, to which the input refers by `id`. */
export function problemText(problem: unknown, id?: string): TemplateResult {
  return html`<p class="problem" id=${id ?? nothing} role="alert">${problem ?? nothing}</p>`;
}

/** Shows secondary text in a muted color. */
export function quiet(content: unknown, small = false): TemplateResult {
  return html`<p class="quiet ${small ? 'small' : ''}">${content}</p>`;
}

/** Shows names with their values. Pairs with an undefined value are omitted. */
export function pairsView(
  style: 'facts' | 'figures' | 'columns' | 'figures tall',
  pairs: readonly (readonly [name: unknown, value: unknown, style?: string])[],
  label?: string,
): TemplateResult {
  return html`<dl class=${style} aria-label=${label ?? nothing}>
    ${pairs.map(([name, value, own]) =>
      value === undefined
        ? nothing
        : html`<div>
            <dt>${name}</dt>
            <dd class=${own ?? nothing}>${value}</dd>
          </div>`,
    )}
  </dl>`;
}

/** Shows a card with its title and a toolbar next to it. */
export function cardView(
  title: unknown,
  content: unknown,
  tools: unknown = nothing,
  label: unknown = title,
): TemplateResult {
  return html`<section class="card" aria-label=${label}>
    ${headView(title, tools)}${content}
  </section>`;
}

/** Shows a section title with a toolbar next to it. */
export function headView(title: unknown, tools: unknown = nothing): TemplateResult {
  if (tools === nothing) return html`<h2>${title}</h2>`;
  return html`<div class="row spread">
    <h2>${title}</h2>
    ${tools}
  </div>`;
}

interface ButtonHints {
  icon?: string;
  label?: string;
  disabled?: boolean;
  /** Keys that press the button, in the syntax of `aria-keyshortcuts`. */
  keys?: string | undefined;
}

/** Shows a small button without emphasis. */
export function plainButton(
  content: unknown,
  onClick: () => unknown,
  { icon, label, disabled, keys }: ButtonHints = {},
): TemplateResult {
  return html`<button
    type="button"
    class="plain"
    aria-label=${label ?? nothing}
    title=${label ?? nothing}
    aria-keyshortcuts=${keys ?? nothing}
    ?disabled=${disabled}
    @click=${onClick}
  >
    ${maybe(icon, (name) => html`<wa-icon name=${name}></wa-icon>`)}${content}
  </button>`;
}

/** Shows a button that copies a text. A separate status tells screen readers that it was copied. */
export function copyButton(name: string, isCopied: boolean, copy: () => unknown): TemplateResult {
  const { copied } = texts().common;
  const icon = isCopied ? 'check' : 'copy';
  return html`${plainButton(isCopied ? copied : name, copy, { icon })}
    <span class="sr" role="status">${isCopied ? copied : ''}</span>`;
}

const chainIcons = { valid: 'circle-check', broken: 'circle-x', missing: 'circle-alert' } as const;

/** Shows the result of verifying a hash chain or one of its links. */
export function chainView(
  state: keyof typeof chainIcons,
  title: string,
  content: unknown,
): TemplateResult {
  return html`<div class="chain ${state}">
    <h3><wa-icon name=${chainIcons[state]}></wa-icon> ${title}</h3>
    ${content}
  </div>`;
}
