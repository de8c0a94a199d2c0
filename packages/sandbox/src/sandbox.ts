import { z } from 'zod';
import { createApi } from './api/app.ts';
import { behaviourChange, type Behaviour, type Behaviours } from './state/behaviour.ts';
import { CallLog, type Call } from './api/calls.ts';
import { tap, type SentAnswer } from './api/tap.ts';
import { serverIdentity } from './listener/authority.ts';
import type { SandboxClock } from './state/clock.ts';
import { createControl } from './control/app.ts';
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
  /** Folder of CA, keys and state; created if missing. */
  dataDir: string;
  /** Address of the API and the hosted page; default 127.0.0.1. The control API always has it. */
  host?: string;
  /** Port of the API, HTTPS; 0 (the default) takes any free port. */
  apiPort?: number;
  /** Port of the hosted page, HTTP; 0 (the default) takes any free port. */
  hostedPort?: number;
  /** Port of the control API, HTTP; 0 (the default) takes any free port. */
  controlPort?: number;
  log?: Log;
  /** Destination of notifications for this run; it overrides the address set by the control API. */
  notify?: {
    environment: EnvironmentName;
    url: string;
    /** The whole value of the Authorization header. */
    authorization?: string | undefined;
  };
  /** Answers where the published contract leaves a choice; a reset restores the defaults. */
  behaviour?: Partial<Behaviour>;
  /** The machine's clock in milliseconds since 1970, on which the sandbox clock is an offset. */
  machineClock?: () => number;
  /** Called with a copy of each answer of the API; see `checkAnswer`. */
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
  /** Base address of the sandbox environment, `https://localhost:<port>`. */
  apiUrl: string;
  /** Origin of the hosted page, `http://localhost:<port>`. */
  hostedUrl: string;
  /** `http://127.0.0.1:<port>`. */
  controlUrl: string;
  /** PEM file of the CA that signed the API's certificate. */
  caFile: string;
  /** The environments with their current keys: a rotation changes them. */
  readonly environments: readonly SandboxEnvironment[];
  clock: SandboxClock;
  /** The answers where the published contract leaves a choice. */
  behaviours: Behaviours;
  /** Returns the API calls so far, oldest first. */
  calls: () => readonly Call[];
  stop(): Promise<void>;
}

/**
 * Starts the stand-in: API, hosted page, lenders and control API.
 * @param front puts something in front of the API, such as a deviation that a test must detect
 * @throws {SandboxError} for a taken port, a folder in use, a damaged key file
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
    if (options.behaviour) service.behaviours.change(behaviourOf(options.behaviour));
    if (options.notify) notifyForThisRun(service, options.notify);
    const identity = await serverIdentity(dataDir);
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
    // Read at each use: a rotation changes the keys.
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
    const control = await listen({
      name: 'control API',
      option: '--control-port',
      host: '127.0.0.1',
      port: options.controlPort ?? 0,
      app: createControl(service, calls, shown),
    });
    listeners.push(control);
    service.notifier.start(service.applications, log);
    return {
      apiUrl,
      hostedUrl: service.links.hostedUrl,
      controlUrl: `http://127.0.0.1:${control.port}`,
      caFile: identity.caFile,
      get environments() {
        return environments();
      },
      clock: service.clock,
      behaviours: service.behaviours,
      calls: () => calls.list(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function behaviourOf(wanted: Partial<Behaviour>) {
  const change = behaviourChange.safeParse(wanted);
  if (change.success) return change.data;
  throw new ArgumentError(`Behaviour: ${z.prettifyError(change.error)}`);
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
