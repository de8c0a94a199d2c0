import type { z } from 'zod';
import type { CallLog } from '../api/calls.ts';
import { errorCodes, ServiceError } from '../platform/service-error.ts';
import type { Service } from '../service.ts';

/** The sandbox that the operations control. */
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

/** A value for each of some input fields; nested fields have dotted names. */
type Fields<Input, Value> = Readonly<
  Partial<Record<keyof Input | `${keyof Input & string}.${string}`, Value>>
>;

/** The command of an operation. A command without an input takes no fields. */
interface CommandOf<Input, Answer> {
  /** Description of the command for its help text. */
  does?: string;
  help?: string;
  /**
   * The input fields that the command takes, with dotted names for nested fields: `--order <id>
   * text` for an option, `<id>  text` or `[id]  text` for an argument. Type, choices and default
   * come from the input schema.
   */
  options?: Fields<Input, string>;
  /** Parsers for the fields whose type does not determine how to parse them. */
  read?: Fields<Input, (text: string) => unknown>;
  /** Default input of the command. */
  sends?: Input;
  /** Arguments of the command that are not input fields: `<name>  text`. */
  words?: readonly string[];
  /** Converts or rejects the given fields and arguments. @throws {ArgumentError} */
  toInput?: (given: Given, words: readonly string[]) => object;
  /** Field of the response that `--json` prints; default the whole response. */
  part?: string;
  /** Formats the response as text. Without this function, the command always prints JSON. */
  show?: (answer: Answer, given: Given) => readonly string[];
}

/** An operation of the control API: its route, its validation and its command. */
export interface Operation extends CommandOf<Record<string, unknown>, never> {
  /** Name of the command, such as `outcome set`; empty for an operation without a command. */
  command: string;
  method: string;
  /** Hono path; its parameters are input fields. */
  path: string;
  input?: z.ZodType;
  /** Status of the response; default 200. */
  status?: 201;
  /** Question that the page asks before the operation. */
  confirm?: string;
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
    confirm?: string;
    run: (controlled: Controlled, input: z.output<Schema>) => Answer;
  } & CommandOf<z.input<Schema>, Awaited<Answer>>,
): Operation {
  const [method = '', path = ''] = route.split(' ');
  return { ...(options as unknown as Operation), command, method, path };
}

/** A rejected request: 400 in any state; 404, 409 and 422 in the current state. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 404 | 409 | 422;

  constructor(message: string, status: Refusal['status'] = 400) {
    super(message);
    this.status = status;
  }
}

/** Converts an error to a rejection; undefined for an unexpected error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!(error instanceof ServiceError)) return undefined;
  const fields = error.fields?.map(({ field, error: reason }) => `${field} ${reason}`);
  const isUnknown = error.status === 404 || error.code === errorCodes.chargeNotFound;
  return new Refusal(fields?.join('; ') ?? error.message, isUnknown ? 404 : 409);
}

/** Removes the entry with an id, or all, and returns the number removed. @throws {Refusal} 404 */
export function clear(list: { clear: (id?: number) => number }, id?: string) {
  // No entry has the id 0.
  const number = id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : 0;
  const count = list.clear(id === undefined ? undefined : number);
  if (id !== undefined && count === 0) throw new Refusal('there is nothing of this id', 404);
  return { cleared: count };
}

/** Formats the response of {@link clear} as text. */
export const cleared = (answer: { cleared: number }) => [`${answer.cleared} cleared`];
