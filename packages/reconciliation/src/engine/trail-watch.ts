import type { TrailAlert, TrailDifference } from '@financing-checkout/contract/reconciliation';
import type { Environment } from '@financing-checkout/contract/storefront';
import { readAnchor, verifyTrail } from '../cases/trail.ts';
import { compareTrail } from '../companion/compare-trail.ts';
import { CompanionRefusal, CompanionSilence } from '../companion/office.ts';
import type { CompanionOperations } from '../companion/operations.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import { type Clock, isoTime } from '@financing-checkout/kit';
import { sha256 } from '../platform/digest.ts';
import type { Logger } from '../platform/log.ts';

export interface TrailWatchOptions {
  facts: FactStore;
  environment: Environment;
  operations: CompanionOperations;
  /** The lease of this process. */
  fence: Fence;
  /** Whether finance receives alerts. */
  isAlerting: boolean;
  clock: Clock;
  logger: Logger;
}

/** Watches the trail, so that a replaced event is detected automatically. */
export class TrailWatch {
  readonly #options: TrailWatchOptions;
  /** The last head that this process saw. */
  #anchor: string | undefined;

  constructor(options: TrailWatchOptions) {
    this.#options = options;
  }

  /**
   * Logs the head of the trail. In most installations the log leaves this machine, so its copy of
   * the head reveals a replaced trail: `trail verify --anchor`.
   */
  async logAnchor(): Promise<void> {
    const { facts, environment, logger } = this.#options;
    const anchor = await readAnchor(facts, environment);
    this.#anchor ??= anchor;
    logger.log('info', 'trail-anchor', { anchor });
  }

  /**
   * Verifies the trail, and that it still contains the events that this process has seen.
   * @returns the first event that differs, and why; undefined: none does
   */
  async verify(): Promise<string | undefined> {
    const { facts, environment, logger } = this.#options;
    const { anchor, broken } = await verifyTrail({ facts, environment, anchor: this.#anchor });
    if (broken === undefined) {
      this.#anchor = anchor;
      return undefined;
    }
    const reason = `${broken.seq} ${broken.reason}`;
    logger.log('error', 'trail-broken', { reason, anchor: this.#anchor });
    return reason;
  }

  /**
   * Compares the trail with the companion's operations. Each difference is logged as an error and
   * sent to finance once as an alert.
   */
  async compare(): Promise<void> {
    const { facts, operations, logger } = this.#options;
    try {
      const { withoutEntry, withoutOperation } = await compareTrail(facts, operations);
      for (const one of withoutEntry) await this.#raise('operation-without-entry', one);
      for (const one of withoutOperation) await this.#raise('entry-without-operation', one);
    } catch (error) {
      if (error instanceof CompanionSilence) {
        logger.log('warn', 'trail-not-compared', { reason: error.reason });
      } else if (error instanceof CompanionRefusal) {
        logger.log('warn', 'trail-not-compared', { code: error.problem.code });
      } else throw error;
    }
  }

  async #raise(
    difference: TrailAlert['data']['difference'],
    { actor, ...found }: TrailDifference,
  ): Promise<void> {
    const { facts, fence, isAlerting, environment, clock, logger } = this.#options;
    const { chargeId, operationId } = found;
    logger.log('error', difference, { actor, chargeId, operationId });
    if (!isAlerting) return;
    const now = clock.now();
    const alert: TrailAlert = {
      type: 'reconciliation.trail.alert',
      timestamp: isoTime(now),
      data: { environment, difference, ...found },
    };
    // Derived from the difference, so that a repeated check does not send a second message.
    const digest = sha256(JSON.stringify([difference, chargeId, operationId, found.seq]));
    const id = `msg_trail_${digest.slice(0, 32)}`;
    await facts.queueAlert(fence, { id, caseId: '', body: JSON.stringify(alert) }, now);
  }
}
