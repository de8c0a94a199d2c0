import { html, nothing } from 'lit';
import { texts } from '../../locale/locale.ts';

const OFFERED = 5;
const begun = /(?:^|[\s(])@([^\s@]*)$/;

/** A mention that is being typed. */
export interface Mention {
  /** The beginning of the name, as typed so far. */
  typed: string;
  /** Position of the mention's end in the text. */
  end: number;
}

/** Returns the mention that ends at the caret in a text field; undefined if there is none. */
export function mentionAt({
  selectionStart: end,
  value,
}: Pick<HTMLTextAreaElement, 'selectionStart' | 'value'>): Mention | undefined {
  const typed = begun.exec(value.slice(0, end))?.[1];
  return typed === undefined ? undefined : { typed, end };
}

/** Completes a mention in a text field and moves the caret behind it. */
export function complete(field: HTMLTextAreaElement, { typed, end }: Mention, name: string): void {
  field.setRangeText(`${name} `, end - typed.length, end, 'end');
  field.focus();
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** Offers the people whose names begin with the typed text. Tab moves from the text to them. */
export function mentionView(
  people: readonly string[],
  mention: Mention | undefined,
  choose: (name: string) => void,
) {
  const typed = mention?.typed.toLowerCase();
  const offered =
    typed === undefined
      ? []
      : people.filter((name) => name.toLowerCase().startsWith(typed)).slice(0, OFFERED);
  if (offered.length === 0) return nothing;
  return html`<div class="mentions" role="group" aria-label=${texts().cases.mention}>
    ${offered.map(
      (name) => html`<button type="button" @click=${() => choose(name)}>@${name}</button>`,
    )}
  </div>`;
}
