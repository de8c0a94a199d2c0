import type { Clock } from '@financing-checkout/kit';
import type { CompanionSettings } from '../config/variables.ts';
import type { CounterName, Counters } from '../platform/counters.ts';
import type { LogFields, Logger } from '../platform/logger.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Timing } from '../service/timing.ts';
import type { Store } from '../store/store.ts';

export interface ChargeContext extends CompanionSettings {
  store: Store;
  service: ServiceClient;
  timing: Timing;
  clock: Clock;
  /** Returns the time of the last known forward jump of the clock, in milliseconds since 1970. */
  steadySince: () => number;
  logger: Logger;
  counters: Counters;
  /** Signals that a message may be due for delivery. */
  changed: () => void;
}

/** Counts and logs an event that needs manual attention. */
export function raiseAlarm(
  { counters, logger }: Pick<ChargeContext, 'counters' | 'logger'>,
  event: CounterName,
  fields: LogFields,
): void {
  counters.increment(event);
  logger.log('error', event, fields);
}
