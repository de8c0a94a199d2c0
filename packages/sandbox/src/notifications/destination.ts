import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseDuration } from '../platform/duration.ts';
import { environmentNames, type EnvironmentName } from '../environments/environment.ts';
import { writeFileAtomically } from '../platform/write-file.ts';
import { SandboxError } from '../platform/problem.ts';
import { eventNames } from './event.ts';

/** Maximum delay and shuffle window, in milliseconds: one year. */
const MAX_WAIT = 365 * 86_400_000;
const duration = z.string().refine((text) => (parseDuration(text) ?? Infinity) <= MAX_WAIT, {
  error: 'must be a duration such as 10m, at most 365d',
});
const share = z.number().min(0).max(1);

/** Delivery disorder, as caused by a network and a busy sender; reproducible from its seed. */
const disorderSchema = z.strictObject({
  /** Share of notifications that are delivered twice. */
  twice: share.default(0),
  /** Share of notifications that are delayed by `lateBy` on the sandbox clock. */
  late: share.default(0),
  lateBy: duration.default('10m'),
  /** Notifications created within this window are reordered; "0s" keeps the order. */
  shuffle: duration.default('0s'),
  seed: z.int().min(0).default(1),
});
export type Disorder = z.output<typeof disorderSchema>;

/**
 * The destination of an environment's notifications. `authorization` is the whole value of the
 * Authorization header, agreed with the merchant in advance.
 */
export const destinationSchema = z.strictObject({
  url: z.string().refine(isDeliverable, {
    error:
      'must be an https address, or http on this machine, without a name, password or fragment',
  }),
  authorization: z
    .string()
    .regex(/^[\x21-\x7e]([\x20-\x7e]{0,4094}[\x21-\x7e])?$/, 'must be the value of a header')
    .meta({ format: 'password' })
    .optional(),
  disorder: disorderSchema.prefault({}),
  /** Whether renamed events also arrive under their old names. */
  names: z.enum(eventNames).default('new'),
});
export type Destination = z.output<typeof destinationSchema>;

/**
 * The merchant's webhook URLs, in `<dataDir>/notifications.json`, readable only by the owner. Like
 * keys, they are not part of the state: a saved state has no secrets, and a reset keeps the URLs.
 */
export class Destinations {
  readonly #file: string;
  #stored: ReadonlyMap<EnvironmentName, Destination>;
  readonly #forThisRun = new Map<EnvironmentName, Destination>();

  /** @throws {SandboxError} when the file is damaged */
  constructor(dataDir: string) {
    this.#file = join(dataDir, 'notifications.json');
    this.#stored = readDestinations(this.#file);
  }

  get(environment: EnvironmentName): Destination | undefined {
    return this.#forThisRun.get(environment) ?? this.#stored.get(environment);
  }

  /** Sets or removes a destination. */
  set(environment: EnvironmentName, destination: Destination | undefined): void {
    this.#forThisRun.delete(environment);
    const stored = new Map(this.#stored);
    if (destination) stored.set(environment, destination);
    else stored.delete(environment);
    const content = JSON.stringify(Object.fromEntries(stored), undefined, 2);
    writeFileAtomically(this.#file, content + '\n', 0o600);
    this.#stored = stored;
  }

  /** Sets a destination until the sandbox stops. */
  setForThisRun(environment: EnvironmentName, destination: Destination): void {
    this.#forThisRun.set(environment, destination);
  }
}

function readDestinations(file: string): ReadonlyMap<EnvironmentName, Destination> {
  if (!existsSync(file)) return new Map();
  try {
    const stored = z
      .partialRecord(z.enum(environmentNames), destinationSchema)
      .parse(JSON.parse(readFileSync(file, 'utf8')));
    return new Map(
      environmentNames.flatMap((name) => {
        const destination = stored[name];
        return destination ? [[name, destination] as const] : [];
      }),
    );
  } catch {
    // The error has no details, because the file contains the Authorization values.
    throw new SandboxError(`The file ${file} is damaged: delete it, and set the addresses again.`);
  }
}

/** Reads the agreed Authorization value. @throws {SandboxError} */
export function readAuthorization(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new SandboxError(`The file ${file} cannot be read. (--authorization-file)`);
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a URL is safe: notifications contain confirmation tokens, so remote hosts need TLS. */
function isDeliverable(text: string): boolean {
  if (!URL.canParse(text) || text.length > 2048) return false;
  const url = new URL(text);
  const secure =
    url.protocol === 'https:' || (url.protocol === 'http:' && loopback.includes(url.hostname));
  return secure && url.username === '' && url.password === '' && url.hash === '';
}
