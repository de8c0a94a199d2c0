import { ConfigurationError } from '../checkout/configuration.ts';
import type { Settings } from '../checkout/configuration.ts';
import type { Shown, Stage } from '../presentations/presentation.ts';
import { playLender } from './lender.ts';
import { scenarios } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { ScriptedCompanion } from './script.ts';

/** Takes the place of the companion and of the lender's page. */
export interface Play {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly show: (stage: Stage, container: Element) => Shown;
  /** How long a page may take that does not come, in milliseconds. */
  readonly patience: number;
  readonly offline: boolean;
}

/**
 * What is played asks nobody, so it needs nobody's address or key.
 * @throws {ConfigurationError} in production
 */
export function rehearsed(settings: Settings): Settings {
  const { environment, publicKey, companion, order } = settings;
  if (environment === 'production') {
    throw new ConfigurationError(
      'scenario-in-production',
      'Take scenario off: what it plays is no payment, and this element is set to production.',
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
 * Plays a scenario.
 * @throws {ConfigurationError} when there is none of that name
 */
export function play(chosen: string | Scenario, { environment, order }: Settings): Play {
  const scenario = typeof chosen === 'string' ? named(chosen) : chosen;
  const name = typeof chosen === 'string' ? chosen : 'of a test';
  const companion = new ScriptedCompanion(scenario, environment, order);
  const { lender = 'confirmed', offline = false } = scenario;
  return {
    fetch: (url, init) => companion.receive(url, init),
    show: (stage, container) => {
      const onFinish = () => {
        companion.ended = lender === 'confirmed' ? lender : 'otherwise';
        return lender === 'confirmed' || lender === 'mute'
          ? ({ type: 'confirmed', confirmationToken: 'scenario' } as const)
          : ({ type: 'ended', reason: lender } as const);
      };
      return playLender({ name, mute: lender === 'mute', onFinish }, stage, container);
    },
    patience: 300,
    offline,
  };
}

function named(name: string): Scenario {
  const found = Object.entries(scenarios).find(([known]) => known === name)?.[1];
  if (found) return found;
  throw new ConfigurationError(
    'scenario-unknown',
    `Set scenario to one of ${Object.keys(scenarios).join(', ')}.`,
  );
}
