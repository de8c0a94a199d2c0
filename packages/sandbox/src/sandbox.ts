import { z } from 'zod';
import { createApi } from './api/app.ts';
import { behaviorChange, type Behavior, type Behaviors } from './state/behavior.ts';
import { CallLog, type Call } from './api/calls.ts';
import { tap, type SentAnswer } from './api/tap.ts';
import { serverIdentity } from './listener/authority.ts';
import type { SandboxClock } from './state/clock.ts';
import { createControl } from './control/app.ts';
import { createControlToken } from './control/token.ts';
import {
  environmentNames,
  environmentPaths,
  type EnvironmentName,
} from './environments/environment.ts';
import type { KeyRing } from './environments/keys.ts';
import { createHosted } from './hosted/app.ts';
import { listen, type App, type Listener } from './listener/listener.ts';
import { silent, type Log } from './platform/log.ts';
import { destinationSchema } from './notifications/destination.ts';
import { ArgumentError } from './platform/problem.ts';
import { openService, type Service } from './service.ts';

export interface SandboxOptions {
  /** Folder for the CA, keys and state; created if missing. */
  dataDir: string;
  /** Host of the API and the hosted page; default 127.0.0.1, which the control API always uses. */
  host?: string;
  /** A name that other machines use to reach the API; the certificate is also valid for it. */
  hostName?: string | undefined;
  /** HTTPS port of the API; 0 (the default) selects any free port. */
  apiPort?: number;
  /** HTTP port of the hosted page; 0 (the default) selects any free port. */
  hostedPort?: number;
  /** HTTP port of the control API; 0 (the default) selects any free port. */
  controlPort?: number;
  log?: Log;
  /** Notification destination for this run; overrides the URL set through the control API. */
  notify?: {
    environment: EnvironmentName;
    url: string;
    /** The complete value of the Authorization header. */
    authorization?: string | undefined;
  };
  /** Behaviors where the published contract leaves a choice; a reset restores the defaults. */
  behavior?: Partial<Behavior>;
  /** The machine's clock in milliseconds since 1970; the sandbox clock is an offset from it. */
  machineClock?: () => number;
  /** Called with a copy of each response of the API; see `checkAnswer`. */
  onAnswer?: (answer: SentAnswer) => void;
}

/** One environment of the service (specification 5.4). */
export interface SandboxEnvironment {
  name: EnvironmentName;
  /** The `{base_url}`, without a trailing slash. */
  baseUrl: string;
  publicKey: string;
  privateKey: string;
  publicKeyFile: string;
  privateKeyFile: string;
}

/** A running sandbox. */
export interface Sandbox {
  /** Base URL of the sandbox environment, `https://localhost:<port>`. */
  apiUrl: string;
  /** Origin of the hosted page, `http://localhost:<port>`. */
  hostedUrl: string;
  /** `http://127.0.0.1:<port>`. */
  controlUrl: string;
  /** Reads and replaces the state at the control URL. It is also in the file `control-token` of the data folder. */
  controlToken: string;
  /** PEM file of the CA that signed the API's certificate. */
  caFile: string;
  /** The environments with their current keys, which a rotation changes. */
  readonly environments: readonly SandboxEnvironment[];
  clock: SandboxClock;
  /** The behaviors where the published contract leaves a choice. */
  behaviors: Behaviors;
  /** Returns the API calls so far, oldest first. */
  calls: () => readonly Call[];
  stop(): Promise<void>;
}

/**
 * Starts the stand-in: API, hosted page, lenders and control API.
 * @param front wraps the API, for example with a deviation that a test must detect
 * @throws {SandboxError} for a port or folder in use, or a damaged key file
 */
export async function startSandbox(
  options: SandboxOptions,
  front: (app: App, keys: KeyRing) => App = (app) => app,
): Promise<Sandbox> {
  const { dataDir, host = '127.0.0.1', log = silent } = options;
  const service = openService(dataDir, options.machineClock);
  const calls = new CallLog();
  const listeners: Listener[] = [];
  const stop = async () => {
    service.faults.stop();
    await service.notifier.stop();
    await Promise.all(listeners.splice(0).map((listener) => listener.close()));
    if (service.database.isOpen) service.database.close();
  };
  try {
    if (options.behavior) service.behaviors.change(behaviorOf(options.behavior));
    if (options.notify) notifyForThisRun(service, options.notify);
    const identity = await serverIdentity(dataDir, options.hostName);
    const { onAnswer } = options;
    const app = createApi(service, calls, log);
    const faultOf = (requestId: string) =>
      calls.list().findLast((call) => call.requestId === requestId)?.fault?.kind ?? null;
    const hosted = await listen({
      name: 'hosted page',
      option: '--hosted-port',
      host,
      port: options.hostedPort ?? 0,
      app: createHosted(service, log),
    });
    listeners.push(hosted);
    service.links.hostedUrl = `http://localhost:${hosted.port}`;
    const api = await listen({
      name: 'API',
      option: '--api-port',
      host,
      port: options.apiPort ?? 0,
      app: front(onAnswer ? tap(app, faultOf, onAnswer) : app, service.keys),
      identity,
      dropsConnection: () => service.faults.dropsConnection(),
      onTlsError: (code) =>
        log({
          level: 'error',
          part: 'api',
          message:
            code === 'ERR_SSL_HTTP_REQUEST'
              ? 'closed a connection over plain HTTP: the API only speaks HTTPS'
              : 'a TLS connection failed',
          fields: { code },
        }),
    });
    listeners.push(api);
    service.faults.attach(api);
    const apiUrl = `https://localhost:${api.port}`;
    // Evaluated on each use, because a rotation changes the keys.
    const environments = () =>
      environmentNames.map((name): SandboxEnvironment => {
        const publicKey = service.keys.get(name, 'public');
        const privateKey = service.keys.get(name, 'private');
        return {
          name,
          baseUrl: apiUrl + environmentPaths[name],
          publicKey: publicKey.value,
          privateKey: privateKey.value,
          publicKeyFile: publicKey.file,
          privateKeyFile: privateKey.file,
        };
      });
    const shown = () =>
      environments().map(({ name, baseUrl, publicKey }) => ({ name, baseUrl, publicKey }));
    const controlToken = createControlToken(dataDir);
    const control = await listen({
      name: 'control API',
      option: '--control-port',
      host: '127.0.0.1',
      port: options.controlPort ?? 0,
      app: createControl(service, calls, shown, controlToken),
    });
    listeners.push(control);
    service.notifier.start(service.applications, log);
    return {
      apiUrl,
      hostedUrl: service.links.hostedUrl,
      controlUrl: `http://127.0.0.1:${control.port}`,
      controlToken,
      caFile: identity.caFile,
      get environments() {
        return environments();
      },
      clock: service.clock,
      behaviors: service.behaviors,
      calls: () => calls.list(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function behaviorOf(wanted: Partial<Behavior>) {
  const change = behaviorChange.safeParse(wanted);
  if (change.success) return change.data;
  throw new ArgumentError(`Behavior: ${z.prettifyError(change.error)}`);
}

function notifyForThisRun(
  { notifier }: Service,
  { environment, url, authorization }: NonNullable<SandboxOptions['notify']>,
): void {
  const destination = destinationSchema.safeParse({ url, authorization });
  if (!destination.success) {
    throw new ArgumentError(`Notifications: ${z.prettifyError(destination.error)}`);
  }
  notifier.destinations.setForThisRun(environment, destination.data);
}
