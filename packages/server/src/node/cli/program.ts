import { exitMeanings, type ProgramDefinition, type Shell } from '@financing-checkout/kit/cli';
import { version } from '../../version.ts';

export const companionProgram: ProgramDefinition<Shell> = {
  name: 'financing-companion',
  version,
  description: 'The companion of Financing Checkout: it alone holds the private key.',
  about: `Serves storefront pages and the merchant's network, and shows what a running companion knows.`,
  examples: [
    'financing-companion doctor                    before the first start, and when in doubt',
    'financing-companion serve',
    'LOG_FORMAT=text LOG_LEVEL=debug financing-companion serve',
    'financing-companion explain req_1f9k2…        the history of a request',
    'financing-companion programmes check programmes.json',
  ],
  variables: `Configuration is read from environment variables; each secret also from the file that <NAME>_FILE
names. At least:
  FINANCING_ENVIRONMENT       uat, sandbox or production
  FINANCING_BASE_URL          https address of the service in that environment
  FINANCING_PUBLIC_API_KEY    sent by pages
  FINANCING_PRIVATE_API_KEY   known to this process only
  FINANCING_SDK_URL           address of the service's browser script; or FINANCING_HOSTED_URL,
                              where the service gives you an address of a hosted page
  ORDER_TICKET_SECRET         shared with the shop's backend, 32 bytes or more
  COMPANION_ALLOWED_ORIGINS   origins of storefront pages, separated by commas
The README of @financing-checkout/server lists all variables. "serve" names each missing or wrong
variable, and never prints a value. "doctor" also names optional settings that a shop needs.`,
  exits: exitMeanings,
  commands: {
    serve: async () => (await import('./serve.ts')).registerServe,
    doctor: async () => (await import('./doctor.ts')).registerDoctor,
    explain: async () => (await import('./explain.ts')).registerExplain,
    charges: async () => (await import('./charges.ts')).registerCharges,
    links: async () => (await import('./links.ts')).registerLinks,
    webhooks: async () => (await import('./webhooks.ts')).registerWebhooks,
    fundings: async () => (await import('./fundings.ts')).registerFundings,
    programmes: async () => (await import('./programmes.ts')).registerProgrammes,
    migrate: async () => (await import('./migrate.ts')).registerMigrate,
    fingerprint: async () => (await import('./fingerprint.ts')).registerFingerprint,
  },
};
