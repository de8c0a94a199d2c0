import type { Environment } from '@financing-checkout/contract';
import { readTrailHead, verifyTrails } from '../cases/trail-head.ts';
import type { FactStore } from '../facts/store.ts';
import type { Logger } from '../platform/log.ts';

export interface TrailWatchOptions {
  facts: FactStore;
  environment: Environment;
  logger: Logger;
}

/** Watches the trails of cases and actions, so that a replaced event is noticed without a person. */
export class TrailWatch {
  readonly #options: TrailWatchOptions;
  /** The last head that this process saw. */
  #anchor: string | undefined;

  constructor(options: TrailWatchOptions) {
    this.#options = options;
  }

  /**
   * Logs the head of both trails. The log leaves this machine in most installations, and then it is
   * the copy with which a replaced trail is found: `trail verify --anchor`.
   */
  async logAnchor(): Promise<void> {
    const { facts, environment, logger } = this.#options;
    const anchor = await readTrailHead(facts, environment);
    this.#anchor ??= anchor;
    logger.log('info', 'trail-anchor', { anchor });
  }

  /** Verifies both trails, and that they contain the events that this process saw before. */
  async verify(): Promise<void> {
    const { facts, environment, logger } = this.#options;
    const { trail } = await verifyTrails({ facts, environment, anchor: this.#anchor });
    if (trail.valid) this.#anchor = trail.anchor;
    else logger.log('error', 'trail-broken', { reason: trail.reason, anchor: this.#anchor });
  }
}
