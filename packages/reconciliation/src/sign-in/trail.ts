import { isIPv6 } from 'node:net';
import type { SignInProblem } from '@financing-checkout/contract/reconciliation';
import type { Clock } from '@financing-checkout/kit';
import type { PersonKey } from '../facts/people.ts';
import type { FactStore } from '../facts/store.ts';
import type { NewAction } from '../facts/trail.ts';
import { describeError, type Logger } from '../platform/log.ts';
import { ProblemError } from '../platform/problem.ts';

/** Actor for a sign-in without a valid token. No token can have this name. */
export const NOT_SIGNED_IN = '-';
/** Failed sign-ins from one address block share an entry for an hour. */
const WINDOW_MS = 3_600_000;
/** Maximum number of address blocks with their own entry per hour. All others share one. */
const MAX_BLOCKS = 50;
const OTHERS = 'other addresses';

/** The session that a sign-in started. */
interface SignedInSession {
  id: string;
  caller: { name: string };
  person: PersonKey | undefined;
}

/** Failed sign-ins from one address block within an hour. */
interface Failures {
  attempts: number;
  /** Sequence number of the entry; undefined: it could not be recorded. */
  begun: Promise<number | undefined>;
}

/**
 * Records sign-ins and sign-outs in the trail. A sign-in alone changes nothing, so it does not fail
 * when the record store is unavailable; the log then says that the trail lacks it.
 */
export interface SignInTrail {
  /**
   * Records the person and the session's ID, which allows the session's owner to decide about
   * periods.
   */
  signedIn(session: SignedInSession): Promise<void>;
  /** @param by who ended the session; by default its owner */
  signedOut(name: string, by?: 'provider'): Promise<void>;
  /**
   * Records a failed sign-in with the client's address block, but never with the token. A flood
   * adds few events: each block has one entry per hour, whose number of attempts is written at 1,
   * 10, 100 and so on, and at most 50 blocks have their own entry.
   * @param address undefined if unknown
   * @param outcome why it failed
   */
  failed(address: string | undefined, outcome: 'token-invalid' | SignInProblem): Promise<void>;
}

/** @param facts returns the record store once it is open */
export function createSignInTrail(
  facts: () => FactStore,
  clock: Clock,
  logger: Logger,
): SignInTrail {
  let windowEnds = 0;
  const blocks = new Map<string, Failures>();

  async function safely<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      const why = error instanceof ProblemError ? { code: error.code } : describeError(error);
      logger.log('error', 'sign-in-not-recorded', why);
      return undefined;
    }
  }

  const write = (action: Omit<NewAction, 'at'>) =>
    safely(async () => facts().beginAction({ ...action, at: clock.now() }));
  const done = (name: string) => ({ actor: name, subject: name, outcome: 'done', detail: {} });

  function failuresOf(block: string): { key: string; known: Failures | undefined } {
    const now = clock.now();
    // A window that ends more than one window length ahead was set before the clock was turned
    // back.
    if (now >= windowEnds || windowEnds > now + WINDOW_MS) {
      blocks.clear();
      windowEnds = now + WINDOW_MS;
    }
    const key = blocks.has(block) || blocks.size < MAX_BLOCKS ? block : OTHERS;
    return { key, known: blocks.get(key) };
  }

  return {
    signedIn: async ({ caller, id, person }) =>
      void (await write({
        kind: 'sign-in',
        ...done(caller.name),
        person,
        detail: { session: id },
      })),

    signedOut: async (name, by) =>
      void (await write({
        kind: 'sign-out',
        ...done(name),
        detail: by === undefined ? {} : { by },
      })),

    async failed(address, outcome) {
      const { key, known } = failuresOf(addressBlock(address));
      if (known === undefined) {
        const begun = write({
          kind: 'sign-in',
          actor: NOT_SIGNED_IN,
          subject: key,
          outcome,
          detail: { attempts: 1 },
        });
        blocks.set(key, { attempts: 1, begun });
        await begun;
        return;
      }
      known.attempts += 1;
      const { attempts } = known;
      if (!isPowerOfTen(attempts)) return;
      const begun = await known.begun;
      if (begun === undefined) return;
      const end = { at: clock.now(), outcome, detail: { attempts } };
      await safely(() => facts().endAction(begun, end));
    },
  };
}

const isPowerOfTen = (count: number) => /^10*$/.test(String(count));

/**
 * Returns an address's block, which does not identify a person: the first three bytes of IPv4, or
 * the first six of IPv6.
 */
export function addressBlock(address: string | undefined): string {
  const v4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/i.exec(address ?? '');
  if (v4 !== null) return `${v4[1]}.0/24`;
  const [text = ''] = (address ?? '').split('%');
  if (!isIPv6(text)) return 'unknown';
  const [head = '', tail] = text.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 3).join(':')}::/48`;
}
