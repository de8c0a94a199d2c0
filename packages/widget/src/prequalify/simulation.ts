import { ConfigurationError } from '../companion/configuration.ts';
import type { Settings } from '../companion/configuration.ts';
import type { SimulatedPage } from '../presentations/session.ts';
import { simulateLender } from '../simulation/lender.ts';
import { simulatedSettings } from '../simulation/simulation.ts';
import type { Prequalification } from './answer.ts';
import { configurePrequalify } from './configuration.ts';
import type { PrequalifyAttributes, PrequalifyConfiguration } from './configuration.ts';
import { prequalifyScenarios } from '../model/scenario.ts';

/** Replaces the companion and the lender's page. */
export interface PrequalifySimulation extends SimulatedPage {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** How long a checkout can continue an application, in milliseconds. */
const LIFETIME = 3_600_000;
/** Maximum amount that the simulated lender offers if the page specifies none. */
const OFFER = 150_000;

/**
 * Simulates an application without a companion, a lender or a network.
 * @throws {ConfigurationError} in production, and if the scenario is unknown
 */
export function simulatePrequalify(
  element: PrequalifyAttributes,
  settings: Settings,
): { configuration: PrequalifyConfiguration; simulation: PrequalifySimulation } {
  const name = prequalifyScenarios.find((one) => one === element.scenario);
  if (!name) {
    throw new ConfigurationError(
      'scenario-unknown',
      `Set scenario to one of ${prequalifyScenarios.join(', ')}.`,
    );
  }
  const currency = element.currency ?? '';
  const configuration = configurePrequalify(simulatedSettings(settings), {
    amount: element.amount,
    currency: currency === '' ? 'USD' : currency,
  });
  const companion =
    name === 'unavailable' ? undefined : new SimulatedCompanion(name, configuration);
  const simulation: PrequalifySimulation = {
    fetch: (url, init) =>
      companion?.receive(url, init) ?? Promise.reject(new TypeError('A scenario: no network.')),
    show: (stage, container) => {
      const onFinish = () => {
        if (companion) companion.isFinished = true;
        return { type: 'ended', reason: 'pending' } as const;
      };
      return simulateLender({ name, lender: 'confirmed', onFinish }, stage, container);
    },
    timeout: 300,
  };
  return { configuration, simulation };
}

class SimulatedCompanion {
  readonly #name: Prequalification['status'];
  readonly #configuration: PrequalifyConfiguration;
  #opened = 0;
  /** Whether the shopper has completed the lender's page. */
  isFinished = false;

  constructor(name: Prequalification['status'], configuration: PrequalifyConfiguration) {
    this.#name = name;
    this.#configuration = configuration;
  }

  /** Replaces `fetch`. */
  receive(_: string, { method }: RequestInit): Promise<Response> {
    if (method === 'POST') {
      this.#opened = Date.now();
      this.isFinished = false;
    } else if (!this.#opened) {
      // The ID belongs to an earlier element, which had its own simulated companion.
      const problem = { code: 'not-found', title: 'A scenario', retrySafe: true };
      return Promise.resolve(Response.json(problem, { status: 404 }));
    }
    return Promise.resolve(Response.json(this.#prequalification()));
  }

  #prequalification(): Prequalification {
    const { amount, currency, environment } = this.#configuration;
    const opened = {
      id: 'scenario',
      environment,
      applicationId: 'scenario',
      expiresAt: new Date(this.#opened + LIFETIME).toISOString(),
    };
    if (this.isFinished) {
      const offer = this.#name === 'prequalified' && { value: amount ?? OFFER, currency };
      return { ...opened, status: this.#name, ...(offer && { amount: offer }) };
    }
    const presentation = { sessionToken: 'scenario', hosted: { url: '/', modes: ['embedded'] } };
    return { ...opened, status: 'open', presentation };
  }
}
