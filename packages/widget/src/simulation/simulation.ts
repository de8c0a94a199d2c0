import { ConfigurationError } from '../companion/configuration.ts';
import type { Settings } from '../companion/configuration.ts';
import type { SimulatedPage } from '../presentations/session.ts';
import { scenarios } from '../model/scenario.ts';
import type { EndReason } from '../model/outcome.ts';
import type { Scenario } from '../model/scenario.ts';
import { SimulatedCompanion } from './companion.ts';
import { simulateLender } from './lender.ts';

/** Replaces the companion and the lender's page. */
export interface Simulation extends SimulatedPage {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly offline: boolean;
}

/**
 * Fills in placeholders for settings that a simulation does not need: URLs and keys.
 * @throws {ConfigurationError} in production
 */
export function simulatedSettings(settings: Settings): Settings {
  const { environment, publicKey, companion, order } = settings;
  if (environment === 'production') {
    throw new ConfigurationError(
      'scenario-in-production',
      'Remove scenario: it simulates payments, and this element is set to production.',
    );
  }
  return {
    ...settings,
    environment: environment || 'sandbox',
    publicKey: publicKey || 'scenario',
    companion: companion || location.origin,
    order: order || 'scenario',
    presentation: 'embedded',
  };
}

/**
 * Simulates a scenario, given by name or definition.
 * @throws {ConfigurationError} if the name is unknown
 */
export function simulate(chosen: string | Scenario, { environment, order }: Settings): Simulation {
  const scenario = typeof chosen === 'string' ? scenarioNamed(chosen) : chosen;
  const name = typeof chosen === 'string' ? chosen : 'of a test';
  const companion = new SimulatedCompanion(scenario, environment, order);
  const { lender = 'confirmed', offline = false } = scenario;
  return {
    fetch: (url, init) => companion.receive(url, init),
    show: (stage, container) => {
      const onFinish = () => {
        companion.ended = lender === 'confirmed' ? lender : 'unconfirmed';
        return isEnd(lender)
          ? ({ type: 'ended', reason: lender } as const)
          : ({ type: 'confirmed', confirmationToken: 'scenario' } as const);
      };
      return simulateLender({ name, lender, onFinish }, stage, container);
    },
    timeout: 300,
    offline,
  };
}

/** Whether a lender's page ends without a confirmation. The others confirm, or cannot be used. */
function isEnd(lender: NonNullable<Scenario['lender']>): lender is EndReason {
  return !['confirmed', 'mute', 'broken', 'away'].includes(lender);
}

function scenarioNamed(name: string): Scenario {
  const found = Object.entries(scenarios).find(([known]) => known === name)?.[1];
  if (found) return found;
  throw new ConfigurationError(
    'scenario-unknown',
    `Set scenario to one of ${Object.keys(scenarios).join(', ')}.`,
  );
}
