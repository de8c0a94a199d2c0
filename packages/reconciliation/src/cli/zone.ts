import { coverageSchema } from '@financing-checkout/contract/reconciliation';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { get } from './ask.ts';
import type { Shell } from './shell.ts';

/**
 * Returns the calendar of the business time zone, RECONCILIATION_ZONE of the responding program.
 */
export async function businessDays(shell: Shell): Promise<Calendar> {
  return new Calendar((await get(shell, '/coverage', coverageSchema)).zone);
}
