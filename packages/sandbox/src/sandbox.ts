import { z } from 'zod';
import { createApi } from './api/app.ts';
import { behaviourChange, type Behaviour, type Behaviours } from './behaviour/behaviour.ts';
import { CallLog, type Call } from './calls/calls.ts';
import { tap, type SentAnswer } from './calls/tap.ts';
import { serverIdentity } from './certificates/authority.ts';
import type { SandboxClock } from './clock/clock.ts';
import { listenAs } from './conformance/mutants/listen.ts';
import { createControl } from './control/app.ts';
import {
  environmentNames,
  environmentPaths,
  type EnvironmentName,
} from './environments/environment.ts';
import { createHosted } from './hosted/app.ts';
import { listen, type Listener } from './listener/listener.ts';
import { silent, type Log } from './log/log.ts';
import { destinationSchema } from './notifications/destination.ts';
import { ArgumentError } from './problem.ts';
import { openService, type Service } from './service.ts';

export interface SandboxOptions {
  /** Folder of CA, keys and state; made when it is not there. */
  dataDir: string;
  /** Address the API and the hosted page listen on; default 127.0.0.1. Control is always there. */
  host?: string;
  /** Port of the API, HTTPS; 0 (the default) takes any free one. */
  apiPort?: number;
  /** Port of the hosted page, HTTP; 0 (the default) takes any free one. */
  hostedPort?: number;
  /** Port of the control API, HTTP; 0 (the default) takes any free one. */
  controlPort?: number;
  log?: Log;
  /** Where notifications go while this runs; what the control API has set otherwise. */
  notify?: {
    environment: EnvironmentName;
    url: string;
    /** The whole value of the Authorization header. */
    authorization?: string | undefined;
  };
  /** How it answers where the published contract leaves a choice; a reset restores the defaults. */
  behaviour?: Partial<Behaviour>;
  /** The machine's clock in milliseconds since 1970, on which the sandbox clock is an offset. */
  machineClock?: () => number;
  /** Name of a mutant: breaks one promise on purpose, to test a conformance suite. */
  mutant?: string;
  /** Receives a copy of each answer of the API, in process; see `checkAnswer`. */
  onAnswer?: (answer: SentAnswer) => void;
}

/** One environment of the service (specification 5.4). */
export interface SandboxEnvironment {
  name: EnvironmentName;
  /** What `{base_url}` is; no slash at its end. */
  baseUrl: string;
  publicKey: string;
  privateKey: string;
  publicKeyFile: string;
  privateKeyFile: string;
}

/** A sandbox that runs. */
export interface Sandbox {
  /** Base address of the sandbox environment, `https://localhost:<port>`. */
  apiUrl: string;
  /** Origin of the hosted page, `http://localhost:<port>`. */
  hostedUrl: string;
  /** `http://127.0.0.1:<port>`. */
  controlUrl: string;
  /** PEM of the CA that the API's certificate is signed by. */
  caFile: string;
  /** With the current keys: a rotation changes what this holds. */
  readonly environments: readonly SandboxEnvironment[];
  clock: SandboxClock;
  /** Reads, changes or resets how it answers where the published contract leaves a choice. */
  behaviours: Behaviours;
  /** The API calls that arrived, oldest first. */
  calls: () => readonly Call[];
  stop(): Promise<void>;
}

/**
 * Starts the stand-in: API, hosted page, lenders and control API.
 * @throws {SandboxError} a taken port, a folder in use, a damaged key file
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
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
    const api = await listenAs(options.mutant, service.keys, {
      name: 'API',
      option: '--api-port',
      host,
      port: options.apiPort ?? 0,
      app: onAnswer ? tap(app, faultOf, onAnswer) : app,
      identity,
      dropsConnection: () => service.faults.dropsConnection(),
      onTlsError: (code) =>
        log({
          level: 'error',
          part: 'api',
          message:
            code === 'ERR_SSL_HTTP_REQUEST'
              ? 'a request over plain HTTP was cut off: the API speaks HTTPS only'
              : 'a TLS connection failed',
          fields: { code },
        }),
    });
    listeners.push(api);
    service.faults.attach(api);
    const hosted = await listen({
      name: 'hosted page',
      option: '--hosted-port',
      host,
      port: options.hostedPort ?? 0,
      app: createHosted(service, log),
    });
    listeners.push(hosted);
    const apiUrl = `https://localhost:${api.port}`;
    // Read at each use: keys are rotated while it runs.
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
      hostedUrl: `http://localhost:${hosted.port}`,
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
