import type { AlarmKind, TrailAlert } from '@financing-checkout/contract/reconciliation';
import type { Environment } from '@financing-checkout/contract/storefront';
import { raiseAlarm, standingAlarms } from '../cases/alarms.ts';
import { readAnchor, verifyTrail } from '../cases/trail.ts';
import { compareTrail } from '../companion/compare-trail.ts';
import { CompanionRefusal, CompanionSilence } from '../companion/office.ts';
import type { CompanionOperations } from '../companion/operations.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import type { EventDetail } from '../facts/trail.ts';
import { type Clock, isoTime } from '@financing-checkout/kit';
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
    const { reason, seq } = broken;
    const text = `${seq} ${reason}`;
    logger.log('error', 'trail-broken', { reason: text, anchor: this.#anchor });
    await raiseAlarm(this.#options, 'trail-broken', { seq, reason });
    return text;
  }

  /**
   * Raises an alarm for each difference between the trail and the companion's operations, and for each
   * record that the companion has lost.
   */
  async compare(): Promise<void> {
    const { facts, operations } = this.#options;
    await this.#ask('trail-not-compared', async () => {
      const { withoutEntry, withoutOperation } = await compareTrail(facts, operations);
      for (const one of withoutEntry) await this.#raise('operation-without-entry', one);
      for (const one of withoutOperation) await this.#raise('entry-without-operation', one);
    });
    await this.#ask('losses-not-read', async () => {
      for (const { kind, chargeId, foundAt } of await operations.lost()) {
        await this.#raise('records-lost', { kind, chargeId, at: foundAt });
      }
    });
    await this.alert();
  }

  /** Sends finance a message about each standing alarm, once. */
  async alert(): Promise<void> {
    const { facts, fence, isAlerting, environment, clock } = this.#options;
    if (!isAlerting) return;
    const now = clock.now();
    for (const { detail, kind, number } of await standingAlarms(facts)) {
      const alert: TrailAlert = {
        type: 'reconciliation.trail.alert',
        timestamp: isoTime(now),
        data: { environment, difference: kind, alarm: number, ...detail },
      };
      const id = `msg_trail_${number}`;
      await facts.queueAlert(fence, { id, caseId: '', body: JSON.stringify(alert) }, now);
    }
  }

  async #ask(event: string, work: () => Promise<void>): Promise<void> {
    const { logger } = this.#options;
    try {
      await work();
    } catch (error) {
      if (error instanceof CompanionSilence) {
        logger.log('warn', event, { reason: error.reason });
      } else if (error instanceof CompanionRefusal) {
        logger.log('warn', event, { code: error.problem.code });
      } else throw error;
    }
  }

  async #raise(kind: AlarmKind, { actor, ...found }: EventDetail & Alarmed): Promise<void> {
    const { chargeId, operationId } = found;
    this.#options.logger.log('error', kind, { actor, chargeId, operationId });
    await raiseAlarm(this.#options, kind, found);
  }
}

interface Alarmed {
  actor?: string | undefined;
  chargeId: string;
  operationId?: string | undefined;
}
