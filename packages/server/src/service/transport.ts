import type { Transport } from '@financing-checkout/kit';

export const fetchTransport: Transport = (url, request) => fetch(url, request);
