import type { z } from 'zod';
import type { CallLog } from '../api/calls.ts';
import { errorCodes, ServiceError } from '../platform/service-error.ts';
import type { Service } from '../service.ts';

/** What the operations act on. */
export interface Controlled extends Service {
  calls: CallLog;
  /** Names of the operations of the service. */
  operations: readonly string[];
  environments: () => readonly PublicEnvironment[];
}

/** An environment without its private key. */
interface PublicEnvironment {
  name: string;
  baseUrl: string;
  publicKey: string;
}

type Given = Readonly<Record<string, unknown>>;

/** A value for some fields of an input; the names of fields of nested objects are dotted. */
type Fields<Input, Value> = Readonly<
  Partial<Record<keyof Input | `${keyof Input & string}.${string}`, Value>>
>;

/** The command of an operation. A command without an input takes no field. */
interface CommandOf<Input, Answer> {
  /** What the command does, for its help. */
  does?: string;
  help?: string;
  /**
   * The fields of the input that the command takes, dotted in nested objects: `--order <id>  text` for an
   * option, `<id>  text` or `[id]  text` for an argument. Type, choices and default come from the input.
   */
  options?: Fields<Input, string>;
  /** How to read a text that the type of its field does not decide. */
  read?: Fields<Input, (text: string) => unknown>;
  /** What the command sends unless it is given. */
  sends?: Input;
  /** Arguments of the command that are no fields of the input: `<name>  text`. */
  words?: readonly string[];
  /** Converts or refuses what is given: the fields, and the words. @throws {ArgumentError} */
  toInput?: (given: Given, words: readonly string[]) => object;
  /** Field of the answer that `--json` prints; default the whole answer. */
  part?: string;
  /** Returns the answer in words. Without it, the command always prints JSON. */
  show?: (answer: Answer, given: Given) => readonly string[];
}

/** An operation of the control API: its route, its check and its command. */
export interface Operation extends CommandOf<Record<string, unknown>, never> {
  /** Words of the command: `outcome set`; empty for an operation without one. */
  command: string;
  method: string;
  /** Hono path; its parameters are fields of the input. */
  path: string;
  input?: z.ZodType;
  /** Status of the answer; default 200. */
  status?: 201;
  /** @throws {Refusal} */
  run: (controlled: Controlled, input: never) => unknown;
}

/** Creates an operation. @param route method and path: `POST /outcomes` */
export function operation<Schema extends z.ZodType, Answer>(
  command: string,
  route: string,
  options: {
    input?: Schema;
    status?: 201;
    run: (controlled: Controlled, input: z.output<Schema>) => Answer;
  } & CommandOf<z.input<Schema>, Awaited<Answer>>,
): Operation {
  const [method = '', path = ''] = route.split(' ');
  return { ...(options as unknown as Operation), command, method, path };
}

/** A refusal: 400 in any state, 404, 409 and 422 in the present state. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 404 | 409 | 422;

  constructor(message: string, status: Refusal['status'] = 400) {
    super(message);
    this.status = status;
  }
}

/** Returns the refusal that an error means; undefined for an unexpected error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!(error instanceof ServiceError)) return undefined;
  const fields = error.fields?.map(({ field, error: reason }) => `${field} ${reason}`);
  const isUnknown = error.status === 404 || error.code === errorCodes.chargeNotFound;
  return new Refusal(fields?.join('; ') ?? error.message, isUnknown ? 404 : 409);
}

/** Removes what an id names, or all, and answers how many there were. @throws {Refusal} 404 */
export function clear(list: { clear: (id?: number) => number }, id?: string) {
  // The id 0 names nothing.
  const number = id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : 0;
  const count = list.clear(id === undefined ? undefined : number);
  if (id !== undefined && count === 0) throw new Refusal('there is nothing of this id', 404);
  return { cleared: count };
}

/** Returns the answer of {@link clear} in words. */
export const cleared = (answer: { cleared: number }) => [`${answer.cleared} cleared`];
