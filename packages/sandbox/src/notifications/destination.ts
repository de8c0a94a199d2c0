import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseDuration } from '../clock/duration.ts';
import { environmentNames, type EnvironmentName } from '../environments/environment.ts';
import { writeWhole } from '../environments/rotations.ts';
import { SandboxError } from '../problem.ts';
import { eventNames } from './event.ts';

/** Longest lateness and widest window, in milliseconds: a year. */
const MAX_WAIT = 365 * 86_400_000;
const duration = z.string().refine((text) => (parseDuration(text) ?? Infinity) <= MAX_WAIT, {
  error: 'must be a duration such as 10m, at most 365d',
});
const share = z.number().min(0).max(1);

/** Disorder in the delivery, as a network and a busy sender cause it; reproducible by its seed. */
const disorderSchema = z.strictObject({
  /** Share of notifications that are delivered twice. */
  twice: share.default(0),
  /** Share of notifications that are held back for `lateBy` of the sandbox clock. */
  late: share.default(0),
  lateBy: duration.default('10m'),
  /** Notifications made within this long of each other change places; "0s" keeps the order. */
  shuffle: duration.default('0s'),
  seed: z.int().min(0).default(1),
});
export type Disorder = z.output<typeof disorderSchema>;

/**
 * Where the notifications of an environment go. `authorization` is the whole value of the
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
    .optional(),
  disorder: disorderSchema.prefault({}),
  /** Whether events that are being renamed arrive under their old names as well. */
  names: z.enum(eventNames).default('new'),
});
export type Destination = z.output<typeof destinationSchema>;

/**
 * The merchant addresses, in `<dataDir>/notifications.json`, readable by the owner only. Like keys
 * they are no part of the state: a saved state holds no secret, a reset keeps them.
 */
export class Destinations {
  readonly #file: string;
  #kept: ReadonlyMap<EnvironmentName, Destination>;
  readonly #ofThisRun = new Map<EnvironmentName, Destination>();

  /** @throws {SandboxError} when the file is damaged */
  constructor(dataDir: string) {
    this.#file = join(dataDir, 'notifications.json');
    this.#kept = readDestinations(this.#file);
  }

  get(environment: EnvironmentName): Destination | undefined {
    return this.#ofThisRun.get(environment) ?? this.#kept.get(environment);
  }

  /** Sets an address, or takes it away. */
  set(environment: EnvironmentName, destination: Destination | undefined): void {
    this.#ofThisRun.delete(environment);
    const kept = new Map(this.#kept);
    if (destination) kept.set(environment, destination);
    else kept.delete(environment);
    const content = JSON.stringify(Object.fromEntries(kept), undefined, 2);
    writeWhole(this.#file, content + '\n', 0o600);
    this.#kept = kept;
  }

  /** Sets an address until the sandbox stops. */
  setForThisRun(environment: EnvironmentName, destination: Destination): void {
    this.#ofThisRun.set(environment, destination);
  }
}

function readDestinations(file: string): ReadonlyMap<EnvironmentName, Destination> {
  if (!existsSync(file)) return new Map();
  try {
    const kept = z
      .partialRecord(z.enum(environmentNames), destinationSchema)
      .parse(JSON.parse(readFileSync(file, 'utf8')));
    return new Map(
      environmentNames.flatMap((name) => {
        const destination = kept[name];
        return destination ? [[name, destination] as const] : [];
      }),
    );
  } catch {
    // No detail: the file holds the Authorization values.
    throw new SandboxError(`The file ${file} is damaged: delete it, and set the addresses again.`);
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** The token of a confirmation is in it: over the network only with TLS. */
function isDeliverable(text: string): boolean {
  if (!URL.canParse(text) || text.length > 2048) return false;
  const url = new URL(text);
  const secure =
    url.protocol === 'https:' || (url.protocol === 'http:' && loopback.includes(url.hostname));
  return secure && url.username === '' && url.password === '' && url.hash === '';
}
