import type { MessageTexts } from '../texts.ts';

/** Arabic. */
export const texts: MessageTexts = {
  title: 'الدفع بالتقسيط',
  close: 'إغلاق',
  plan: 'جهة التمويل',
  payment: 'الدفعة',
  count: 'عدد الدفعات',
  apr: 'معدل النسبة السنوي',
  interest: 'الفائدة',
  total: 'الإجمالي',
  perMonth: '{payment} شهريًا',
  perWeek: '{payment} أسبوعيًا',
  perTwoWeeks: '{payment} كل أسبوعين',
  perDay: '{payment} يوميًا',
  example: 'مثال توضيحي',
  amount: 'المبلغ المموَّل',
  last: 'الدفعة الأخيرة',
  questions: 'أسئلة وأجوبة',
  whatQuestion: 'كيف يعمل ذلك؟',
  whatAnswer: 'تدفع جهة التمويل ثمن طلبك للمتجر، وتسدد أنت لها بالدفعات المبينة هنا.',
  offerQuestion: 'هل هذا عرضي النهائي؟',
  offerAnswer:
    'لا. حُسبت هذه الدفعات وفق الشروط التي تنشرها جهة التمويل. أما عرضك أنت فتقدمه جهة التمويل بعد طلبك، وعندها تقرر.',
  creditQuestion: 'هل يؤثر ذلك في تصنيفي الائتماني؟',
  creditAnswer: 'يعتمد ذلك على جهة التمويل. وهي تبيّن عمليات التحقق التي تجريها قبل أن توافق عليها.',
  disclosures: 'معلومات من جهات التمويل',
  qualify: 'تحقق من أهليتك',
};
