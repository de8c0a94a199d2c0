import { Memory } from '../companion/memory.ts';
import type { Flow } from '../flow/flow.ts';
import { parse } from '../platform/address.ts';
import type { PrequalifyAttributes } from './configuration.ts';
import { FinancingPrequalifyOutcomeEvent, type PrequalifyEnded } from './outcome-event.ts';

export const prequalifyFlow: Flow<PrequalifyEnded> = {
  outcome: FinancingPrequalifyOutcomeEvent.type,
  load: () => import('./attempt.ts'),
  memoryOf: ({ companion, environment, scenario }: PrequalifyAttributes) => {
    // A simulation needs no companion URL.
    const address = parse(!companion && scenario ? '/' : (companion ?? ''));
    const where = !environment && scenario ? 'sandbox' : (environment ?? '');
    return address && (companion || scenario) ? new Memory(address, where, undefined) : undefined;
  },
  phaseOf: () => 'leaving',
  eventOf: (result) => new FinancingPrequalifyOutcomeEvent(result),
  failure: (isMistake) => ({ status: isMistake ? 'failed' : 'unavailable', retrySafe: true }),
};
