import { readFileSync } from 'node:fs';
import { currencies, toMajorUnits } from '@financing-checkout/contract/money';
import { type KeptMessage } from '@financing-checkout/contract/storefront';
import {
  addCommand,
  CommandFailure,
  exitCodes,
  printAnswer,
  type Register,
  shared,
  type Shell,
} from '@financing-checkout/kit/cli';
import { readStoreConfiguration } from '../../config/config.ts';
import type { StoreLocation } from '../../config/store.ts';
import { type Timeline, timelineOf } from './timeline.ts';
import type { Trace } from '../../store/trace.ts';

/** Registers `explain`, which shows a request's history from the store. */
export const registerExplain: Register<Shell> = (program, shell) => {
  const definition = {
    usage: 'explain <id>',
    words: [
      {
        text: 'id of a request (req_…), an attempt (att_…), an operation on a charge (opr_…) or a checkout (chk_…)',
      },
    ],
    description: 'show the history of a request, in order of time',
    options: { json: shared.json() },
    help: `A request id is in every answer (X-Request-Id, and "requestId" of a problem) and in every log line.
Reads only the store (COMPANION_STORE), so it works while everything else is down. Its output has no
personal or secret data, and may go into a support ticket.

  financing-companion explain req_1f9k2…
  financing-companion explain chk_7xm3q… --json

Refusals of page requests are kept for a week, at most 60 per minute.

Exit code 1: the store has nothing with this id. A request that only reads leaves no trace there; see
the log.`,
  };
  addCommand(program, definition, ({ json }, id: string) => explain(shell, id, json));
};

async function explain(shell: Shell, id: string, json: boolean | undefined): Promise<void> {
  if (!/^(?:req|att|opr|chk)_[\w-]{1,64}$/.test(id)) {
    throw new CommandFailure(
      'This is not an id of a request (req_…), an attempt (att_…), an operation (opr_…) or a checkout (chk_…).',
    );
  }
  const trace = await readTrace(
    readStoreConfiguration(shell.env, (path) => readFileSync(path, 'utf8')),
    id,
  );
  if (
    trace.attempts.length === 0 &&
    trace.operations.length === 0 &&
    trace.checkout === undefined &&
    trace.refusal === undefined
  ) {
    throw new CommandFailure(
      `The store has nothing with ${id}: no attempt at the service, and no refusal (kept for a week, at most 60 per minute). Search the log for this id.`,
    );
  }
  printAnswer(shell, json, timelineOf(trace), linesOf);
}

async function readTrace(location: StoreLocation, id: string): Promise<Trace> {
  const { createStore, fileExists, storeError } = await import('../store.ts');
  try {
    if (location.kind === 'sqlite' && !fileExists(location.file)) {
      throw new CommandFailure(`There is no store at ${location.file}.`, exitCodes.unavailable);
    }
    const store = await createStore(location);
    try {
      const { pending } = await store.version();
      if (pending.length > 0) {
        throw new CommandFailure('The store is behind: run "financing-companion migrate".');
      }
      return await store.trace(id);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(storeError(location, error).message, exitCodes.unavailable);
  }
}

function shownLines(shown: KeptMessage): string[] {
  const { amount: value, currency, textId, programmeId, sha256, shownAt } = shown;
  const { isPublished, language = '', text = '', disclosure } = shown;
  const amount = currencies.has(currency) ? toMajorUnits({ value, currency }) : String(value);
  return [
    `shown     text ${textId} of programme ${programmeId}, for ${amount} ${currency}, at ${shownAt} by the shopper's clock`,
    `          SHA-256 ${sha256}`,
    ...(isPublished
      ? [
          `          ${language}: ${JSON.stringify(text)}`,
          ...(disclosure === undefined
            ? []
            : [
                `          ${JSON.stringify('text' in disclosure ? disclosure.text : disclosure.url)}`,
              ]),
        ]
      : ['          This companion had not published such a text: only the page says so.']),
  ];
}

function linesOf({ checkout, events, advice }: Timeline): string[] {
  const lines: string[] = [];
  if (checkout !== undefined) {
    lines.push(
      `checkout  ${checkout.id}  ${checkout.status}  (${checkout.environment})`,
      `order     ${JSON.stringify(checkout.merchantOrderId)}  ${checkout.amount}`,
    );
    if (checkout.chargeId !== undefined) {
      lines.push(`charge    ${JSON.stringify(checkout.chargeId)}  ${checkout.chargeState ?? ''}`);
    }
    if (checkout.link !== undefined) {
      lines.push(`link      ${checkout.link.state}  until ${checkout.link.expiresAt}`);
    }
    if (checkout.nextLook !== undefined) lines.push(`next look ${checkout.nextLook}`);
    if (checkout.shown !== undefined) lines.push(...shownLines(checkout.shown));
    lines.push('');
  }
  for (const event of events) {
    lines.push(`${event.at}  ${event.what.padEnd(8)} ${event.outcome.padEnd(9)} ${event.id}`);
    const more = [
      event.detail,
      event.requestId && `request ${event.requestId}`,
      event.serviceRequestId && `service request ${event.serviceRequestId}`,
      event.merchantTransactionId && `transaction ${event.merchantTransactionId}`,
    ].filter((text) => text !== undefined && text !== '');
    for (const text of more) lines.push(`    ${text}`);
  }
  if (advice.length > 0) lines.push('', ...advice);
  return lines;
}
