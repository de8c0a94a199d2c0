import type { Order } from '@financing-checkout/contract/storefront';

export const TICKET_SECRET = 'ticket-secret-of-the-tests-32-bytes!';

export const order: Order = {
  merchantOrderId: 'order-1001',
  currency: 'USD',
  items: [{ name: 'Oak chair', sku: 'CH-1', price: 12_999, quantity: 2 }],
  discounts: [{ name: 'Welcome', amount: 1_000 }],
  taxAmount: 2_001,
  shippingAmount: 500,
  totalAmount: 27_499,
  consumer: { firstName: 'Ada', lastName: 'Quill', email: 'ada.quill@example.com' },
};
