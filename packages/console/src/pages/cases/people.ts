import { html } from 'lit';
import type { CasePeople } from '@financing-checkout/contract/reconciliation';
import { get } from '../../api/client.ts';

/** Returns the people who have a token or a case; an empty list if they cannot be read. */
export async function readPeople(signal: AbortSignal): Promise<readonly string[]> {
  try {
    return (await get<CasePeople>('/cases/people', {}, signal)).people;
  } catch {
    // The user can still type a name.
    return [];
  }
}

/** Shows a choice of people for a text field with `list="people"`. */
export function peopleList(people: readonly string[]) {
  return html`<datalist id="people">
    ${people.map((name) => html`<option value=${name}></option>`)}
  </datalist>`;
}
