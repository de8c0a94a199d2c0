import { readFileSync } from 'node:fs';
import { addDoctor, type Register, type Shell } from '@financing-checkout/kit/cli';
import { readConfiguration } from '../../config/config.ts';
import { variables } from '../../config/variables.ts';

const texts = {
  description:
    'check the configuration, files, certificate, clock, keys and webhook; change nothing',
  help: `Run it with the variables and the user of the companion. It reads files and the store, and requests
at most one funding record with each key, to find the environment of the key and which half of the
key pair it is. A refused key of UAT or Sandbox is tried at the other addresses of
FINANCING_KNOWN_BASE_URLS; a production key is sent nowhere else. COMPANION_WEBHOOK_URL gets two messages of
an order that does not exist, financing-companion-doctor: the second one has a wrong signature, which the
shop must refuse. The answers state the time of its clock.`,
};

/** Registers `doctor`, which checks an installation before a shopper finds an error. */
export const registerDoctor: Register<Shell> = (program, shell) => {
  addDoctor(program, shell, texts, variables, async () => {
    const configuration = readConfiguration(shell.env, (path) => readFileSync(path, 'utf8'));
    const { examine } = await import('../doctor/examine.ts');
    return examine(configuration, shell.env);
  });
};
