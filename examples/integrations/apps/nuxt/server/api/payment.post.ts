import { createPayment } from '../../orders';

export default defineEventHandler(() => createPayment());
