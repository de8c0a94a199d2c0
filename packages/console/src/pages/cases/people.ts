import { html } from 'lit';
import type { CasePeople } from '@financing-checkout/contract/reconciliation';
import { get } from '../../api/client.ts';

/** Returns the people who have a token or a case; none if they cannot be read. */
export async function readPeople(signal: AbortSignal): Promise<readonly string[]> {
  try {
    return (await get<CasePeople>('/cases/people', {}, signal)).people;
  } catch {
    // A name can still be typed.
    return [];
  }
}

/** Shows the choice of people for a text field with `list="people"`. */
export function peopleList(people: readonly string[]) {
  return html`<datalist id="people">
    ${people.map((name) => html`<option value=${name}></option>`)}
  </datalist>`;
}
