import {
  forgetApplication,
  recallApplication,
  rememberApplication,
} from '../companion/application.ts';
import { settingsOf } from '../companion/configuration.ts';
import { Memory } from '../companion/memory.ts';
import { openOnce } from '../companion/once.ts';
import { ask, CompanionError } from '../companion/request.ts';
import type { FlowAttempt, FlowOptions } from '../flow/flow.ts';
import { backOff } from '../platform/pause.ts';
import { BlockedError, type Ending, loadFile } from '../presentations/presentation.ts';
import { PresentationSession } from '../presentations/session.ts';
import { isPrequalification, type Prequalification } from './answer.ts';
import {
  configurePrequalify,
  type PrequalifyAttributes,
  type PrequalifyConfiguration,
} from './configuration.ts';
import type { PrequalifyEnded } from './outcome-event.ts';
import type { PrequalifySimulation } from './simulation.ts';

export { ConfigurationError } from '../companion/configuration.ts';
export { prequalifyLocked as locked } from '../texts/locked.ts';
export { adoptAttemptStyles } from '../views/attempt-styles.ts';
export { dialogView } from '../views/dialog.ts';
export { Modal } from '../views/modal.ts';
export { noticeFor } from './notice.ts';

/** Request timeouts, in milliseconds. */
const TIMEOUT = { open: 30_000, find: 10_000 };
/** Maximum delay between two requests, in milliseconds. */
const LONGEST_WAIT = 15_000;
/**
 * Number of requests for the outcome after the lender's page has closed, because the service may
 * need seconds.
 */
const TRIES = 4;

type PrequalifyOptions = FlowOptions<HTMLElement & PrequalifyAttributes>;

/** @throws {ConfigurationError} */
export async function prepare(options: PrequalifyOptions): Promise<PrequalifyAttempt> {
  const { element, locale } = options;
  const settings = settingsOf(element, locale);
  if (!element.scenario) {
    return new PrequalifyAttempt(options, configurePrequalify(settings, element), undefined);
  }
  // Loaded only by tests and component catalogs, never for a shopper.
  const { simulatePrequalify } = await import('./simulation.ts');
  const { configuration, simulation } = simulatePrequalify(element, settings);
  return new PrequalifyAttempt(options, configuration, simulation);
}

/** A single attempt by one shopper, from the click to an outcome. Runs once. */
class PrequalifyAttempt implements FlowAttempt<PrequalifyEnded> {
  readonly #options: PrequalifyOptions;
  readonly #configuration: PrequalifyConfiguration;
  readonly #simulation: PrequalifySimulation | undefined;
  readonly #memory: Memory;
  /** The presentation in progress. The presentation session sets this property. */
  declare session: PresentationSession | undefined;
  /** Set by the presentation session and not used here: an application needs no token from its page. */
  declare detached: boolean | undefined;

  constructor(
    options: PrequalifyOptions,
    configuration: PrequalifyConfiguration,
    simulation: PrequalifySimulation | undefined,
  ) {
    this.#options = options;
    this.#configuration = configuration;
    this.#simulation = simulation;
    const { companion, complaint, environment } = configuration;
    if (complaint) options.onError(complaint);
    this.#memory = new Memory(new URL(companion), environment, undefined);
  }

  /**
   * @returns undefined if there is no result to show until the shopper acts
   * @throws {ConfigurationError}
   * @throws the abort reason when `life` is aborted
   */
  async run(): Promise<PrequalifyEnded | undefined> {
    const { leaving, life, onError, via } = this.#options;
    try {
      return await (via === 'follow' ? this.#restore() : this.#complete());
    } catch (error) {
      life.throwIfAborted();
      // The shopper has not acted, so they can still continue.
      if (via === 'follow') return undefined;
      if (leaving.aborted && error === leaving.reason) {
        return this.#resultOf(undefined, 'cancelled');
      }
      // Nothing was shown; the open application can be continued.
      if (error instanceof BlockedError) return { status: 'unavailable' };
      if (!(error instanceof CompanionError)) throw error;
      onError(error);
      return { status: error.refused ? 'failed' : 'unavailable' };
    }
  }

  async #complete(): Promise<PrequalifyEnded> {
    const { leaving, life, returned } = this.#options;
    if (returned) return this.#finish(returned.reason);
    const signal = AbortSignal.any([life, leaving]);
    let found = await this.#recall(signal);
    if (found && isOver(found)) this.#memory.forget();
    // Opens a new application only if the previous one can neither be continued nor used.
    if (!found || isOver(found)) found = await this.#open(signal);
    if (!isContinuable(found)) return this.#resultOf(found, undefined);
    const ending = await this.#present(found);
    return this.#finish(ending.type === 'ended' ? ending.reason : undefined, found);
  }

  /** Looks up the result that this tab knew before a reload. */
  async #restore(): Promise<PrequalifyEnded | undefined> {
    if (!recallApplication(this.#configuration)) {
      // A checkout has used the application, or can no longer continue it.
      this.#memory.forget();
      return undefined;
    }
    const found = await this.#find(this.#options.life);
    return found?.status === 'prequalified' ? this.#resultOf(found, undefined) : undefined;
  }

  /** @returns undefined if there is no application, or if the companion no longer knows it */
  async #recall(signal: AbortSignal): Promise<Prequalification | undefined> {
    const { id, key } = this.#memory.recall() ?? {};
    if (!id || !key) return undefined;
    try {
      return await this.#ask(`/${encodeURIComponent(id)}`, TIMEOUT.find, key, signal);
    } catch (error) {
      if (!(error instanceof CompanionError) || error.code !== 'not-found') throw error;
      this.#memory.forget();
      return undefined;
    }
  }

  #open(signal: AbortSignal): Promise<Prequalification> {
    return openOnce({
      memory: this.#memory,
      isOpen: (found) => !isOver(found),
      send: (key) => {
        const { amount, currency, environment, locale, returnUrl } = this.#configuration;
        const body = { environment, currency, amount, returnUrl, locale };
        return this.#ask('', TIMEOUT.open, key, signal, body);
      },
      wait: (tries) => backOff(tries, LONGEST_WAIT, signal),
    });
  }

  /**
   * Sends a request. An opening request is safe to retry with the same key.
   * @param key the key that opens or opened the application: the page's secret
   * @throws {CompanionError} `not-found` for a different key
   */
  #ask(path: string, timeout: number, key: string, signal: AbortSignal, body?: object) {
    return ask(
      this.#configuration,
      {
        path: `/prequalifications${path}`,
        timeout,
        key,
        opens: body !== undefined,
        body,
        isAnswer: isPrequalification,
      },
      signal,
      this.#simulation?.fetch,
    );
  }

  #present(found: Prequalification): Promise<Ending> {
    const { element, onError } = this.#options;
    const watch = (signal: AbortSignal) => this.#watch(signal);
    return new PresentationSession(found, {
      ...this.#options,
      configuration: this.#configuration,
      memory: this.#memory,
      simulation: this.#simulation,
      attempt: this,
      watch,
      presentSdk: async (settings, stage) => {
        const { presentApply } = await loadFile(import('./sdk-apply.ts'));
        const { publicKey } = this.#configuration;
        const shown = await presentApply(settings, stage, { element, onError, publicKey });
        // If a dialog closes without a callback, the page must not wait forever.
        return { ...shown, end: Promise.race([shown.end, watch(stage.signal)]) };
      },
    }).run();
  }

  /**
   * Polls until two consecutive responses show a decided application, because the callback of a
   * dialog that is still open takes precedence, and another lender's decision may follow.
   */
  async #watch(signal: AbortSignal): Promise<Ending> {
    for (let tries = 2, decided = 0; decided < 2 && this.#memory.recall(); tries++) {
      await backOff(tries, LONGEST_WAIT, signal);
      const found = await this.#find(signal);
      if (found) decided = isUndecided(found) ? 0 : decided + 1;
    }
    return { type: 'ended', reason: 'pending' };
  }

  /**
   * Asks the companion for the outcome after the lender's page has closed.
   * @param claim the reason reported by the page, unverified
   */
  async #finish(
    claim: string | null | undefined,
    opened?: Prequalification,
  ): Promise<PrequalifyEnded> {
    const { leaving, life, onStep } = this.#options;
    onStep('leaving');
    // The shopper left, so whatever reason the page gives after being asked to close does not count.
    const reason = leaving.aborted ? 'cancelled' : claim;
    let found: Prequalification | undefined;
    for (let tries = 0; tries < TRIES && this.#memory.recall(); tries++) {
      if (tries > 0) await backOff(tries - 1, LONGEST_WAIT, life);
      found = (await this.#find(life)) ?? found;
      // The service may learn that the application ended later than its page does.
      if (found && (found.status !== 'open' || reason === 'cancelled')) break;
    }
    return this.#resultOf(found, reason, opened);
  }

  /**
   * @returns undefined if the companion cannot be reached or no longer knows the application
   * @throws {CompanionError} if the companion refuses the request
   */
  async #find(signal: AbortSignal): Promise<Prequalification | undefined> {
    try {
      return await this.#recall(signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CompanionError) || error.refused) throw error;
      return undefined;
    }
  }

  /** @param reason why the page ended; used only if the companion reports no outcome */
  #resultOf(
    found: Prequalification | undefined,
    reason: string | null | undefined,
    opened = found,
  ): PrequalifyEnded {
    const { applicationId, expiresAt } = found ?? opened ?? {};
    const isOut = reason === 'cancelled' || reason === 'expired';
    if (found && isOver(found)) this.#memory.forget();
    const canContinue = this.#memory.recall()?.id !== undefined && (!found || isContinuable(found));
    const known = { applicationId, expiresAt, canContinue };
    if (!found) return { ...known, status: isOut ? reason : 'unavailable' };
    const { amount, status } = found;
    if (status === 'prequalified' || status === 'pending') {
      if (applicationId) rememberApplication(this.#configuration, applicationId, found.expiresAt);
    } else if (status !== 'open') forgetApplication(this.#configuration);
    const restored = status === 'prequalified' ? this.#remember(status) : undefined;
    if (status !== 'open') return { ...known, amount, status, restored };
    // The companion only knows that the shopper has not finished.
    const isBroken = reason === 'unavailable' || reason === 'failed';
    return { ...known, status: isOut || isBroken ? reason : 'cancelled' };
  }

  /** Stores that there is a result, so that it survives a reload. @returns whether it was known */
  #remember(outcome: string): boolean {
    const known = this.#memory.recall();
    if (known) this.#memory.remember({ ...known, outcome });
    return known?.outcome === outcome;
  }
}

function isUndecided({ status }: Prequalification): boolean {
  return status === 'open' || status === 'pending';
}

/** Returns whether an application can neither be continued nor used in a checkout. */
function isOver({ presentation, status }: Prequalification): boolean {
  // The service issues no token for an application that the shopper has abandoned there.
  if (status === 'open') return presentation === undefined;
  return status === 'declined' || status === 'not-found' || status === 'expired';
}

function isContinuable(found: Prequalification): boolean {
  return isUndecided(found) && found.presentation !== undefined;
}
