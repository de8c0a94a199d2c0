import type { Attributes } from '../companion/configuration.ts';
import { Memory } from '../companion/memory.ts';
import { FinancingOutcomeEvent } from '../events/outcome-event.ts';
import type { Flow } from '../flow/flow.ts';
import type { Ended } from '../model/phase.ts';
import { parse } from '../platform/address.ts';

export const checkoutFlow: Flow<Ended> = {
  outcome: FinancingOutcomeEvent.type,
  load: () => import('./attempt.ts').then(({ flowModule }) => flowModule),
  memoryOf: ({ companion, environment, order }: Attributes) => {
    const address = companion && parse(companion);
    return address && order ? new Memory(address, environment ?? '', order) : undefined;
  },
  phaseOf: ({ token }) => (token ? 'confirming' : 'leaving'),
  eventOf: (result) => new FinancingOutcomeEvent(result),
  failure: (isMistake, checkoutId) =>
    isMistake
      ? { outcome: 'failed' }
      : { outcome: 'unavailable', checkoutId, retrySafe: !checkoutId },
};
