import { backOfficeOperations } from '../back-office/operations.ts';
import { storefrontOperations } from '../storefront/operations.ts';
import type { DescribedApi } from './openapi.ts';

/** Both APIs as the documents describe them, under the addresses a companion has by default. */
export const describedApis: readonly DescribedApi[] = [
  {
    tag: 'Storefront API',
    description: 'For pages of the shop, on the public listener. By default:',
    server: 'http://localhost:4000',
    operations: storefrontOperations,
  },
  {
    tag: 'Back-office API',
    description: 'For the merchant’s own network, on the private listener. By default:',
    server: 'http://127.0.0.1:4001',
    operations: backOfficeOperations,
  },
];
