import { html } from 'lit';
import { formats, texts } from '../../locale/locale.ts';

const DAY_MS = 86_400_000;
const USUAL_DAYS = 7;

/** Shows a field for the business day until which cases are snoozed, tomorrow at the earliest. */
export function snoozeField(name: string) {
  const { cases, common } = texts();
  const { isoDay, zone } = formats();
  const inDays = (days: number) => isoDay(Date.now() + days * DAY_MS);
  return html`<label>
    <span>${cases.snoozeUntil}</span>
    <input
      type="date"
      name=${name}
      required
      min=${inDays(1)}
      title=${common.zone(zone)}
      .value=${inDays(USUAL_DAYS)}
    />
  </label>`;
}
