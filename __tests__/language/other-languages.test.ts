import { describe, expect, it } from 'vitest';
import { parseScheduleText } from '../../src/triggers/schedule-text.js';

/** A Wednesday, 11:00 in Berlin; summer time begins on the 29th. */
const CONTEXT = { nowMs: Date.parse('2026-03-04T10:00:00Z'), timezone: 'Europe/Berlin' };

function read(text: string, context = CONTEXT): [string, string] | string {
  const reading = parseScheduleText(text, context);
  if (reading.kind !== 'schedule') return reading.kind;
  const { schedule, instructions } = reading;
  expect(schedule.triggerType).toBe('once');
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: context.timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return [format.format(Date.parse(schedule.scheduledAtIso ?? '')), instructions];
}

describe('a date that is said once', () => {
  it.each<[string, string, string]>([
    ['Erinnere mich morgen um 15:00 an Oma', '2026-03-05 15:00', 'Erinnere mich an Oma'],
    ['Erinnere mich morgen um 15 Uhr an Oma', '2026-03-05 15:00', 'Erinnere mich an Oma'],
    ['am Freitag um 9 Uhr Miete zahlen', '2026-03-06 09:00', 'Miete zahlen'],
    ['am 3. April um 10 Uhr Steuer', '2026-04-03 10:00', 'Steuer'],
    ['morgen Abend um 8 Müll rausbringen', '2026-03-05 20:00', 'Müll rausbringen'],
    ['in zwei Stunden Tee', '2026-03-04 13:00', 'Tee'],
    ['übermorgen um 7:30 Uhr Sport', '2026-03-06 07:30', 'Sport'],
    ['rappelle-moi demain à 15h de payer', '2026-03-05 15:00', 'rappelle-moi de payer'],
    ['lundi à 9h appeler Anne', '2026-03-09 09:00', 'appeler Anne'],
    ['le 3 avril à 10h30 payer', '2026-04-03 10:30', 'payer'],
    ['dans 2 heures sortir le pain', '2026-03-04 13:00', 'sortir le pain'],
    ['recuérdame mañana a las 9 llamar', '2026-03-05 09:00', 'recuérdame llamar'],
    ['mañana a las 9 de la noche llamar', '2026-03-05 21:00', 'llamar'],
    ['el viernes a las 15:30 pagar', '2026-03-06 15:30', 'pagar'],
    ['en 20 minutos sacar el pan', '2026-03-04 11:20', 'sacar el pan'],
    ['lembra-me amanhã às 10:00 de ligar', '2026-03-05 10:00', 'lembra-me de ligar'],
    ['sexta-feira às 9:00 pagar', '2026-03-06 09:00', 'pagar'],
    ['ricordami domani alle 10:00 di pagare', '2026-03-05 10:00', 'ricordami di pagare'],
    ['venerdì alle 15:30 pagare', '2026-03-06 15:30', 'pagare'],
    ['fra due ore chiamare Anna', '2026-03-04 13:00', 'chiamare Anna'],
    ['herinner me morgen om 10:00 aan Anna', '2026-03-05 10:00', 'herinner me aan Anna'],
    ['op 3 mei om 15:30 betalen', '2026-05-03 15:30', 'betalen'],
    ['over 20 minuten thee', '2026-03-04 11:20', 'thee'],
    ['remind me vendredi 17:00 to call', '2026-03-06 17:00', 'remind me to call'],
  ])('%s', (text, at, instructions) => {
    expect(read(text)).toEqual([at, instructions]);
  });

  it('is of the zone of the person, on both sides of a clock change', () => {
    const sydney = { ...CONTEXT, timezone: 'Australia/Sydney' };
    expect(read('morgen um 15 Uhr Oma anrufen', sydney)).toEqual([
      '2026-03-05 15:00',
      'Oma anrufen',
    ]);
    expect(read('am 30. März um 15 Uhr Oma anrufen')).toEqual(['2026-03-30 15:00', 'Oma anrufen']);
  });
});

describe('what is no single date, or not all of one', () => {
  it.each([
    'jeden Montag um 9 Uhr Bericht',
    'alle zwei Stunden trinken um 10:00',
    'tous les lundis à 15h rapport',
    'los lunes a las 9 llamar',
    'cada día a las 10:00 llamar',
    'ogni lunedì alle 9:00 chiamare',
    'elke maandag om 9:00 bellen',
    'heute um halb neun Oma anrufen',
    'morgen um 8 Uhr und am Freitag um 9 Uhr Oma anrufen',
    'nächsten Freitag um 9 Uhr Sport',
    'mañana a las 9 y media llamar',
    'ricordami domani alle 9 e mezza di pagare',
    'erinnere mich morgen an Oma',
    'gestern um 10 Uhr Oma anrufen',
    'morgen um 10 Uhr',
    'Zehn Minuten vor dem Termin morgen um 10 Uhr anrufen',
    'morgen bis 10 Uhr anrufen',
    'pasado mañana a las 9 llamar',
    'overmorgen om 15:00 bellen',
    'immer um 15:00 Uhr Tabletten',
    'après-demain à 15h appeler',
    'Erinnere mich immer um 15:00',
    'demain de 9h à 11h appeler',
    'am 31. Februar um 15:00 Uhr anrufen',
    'was heißt "morgen um 10 Uhr anrufen"?',
    '<b>morgen um 10 Uhr</b> anrufen',
  ])('%s: makes no schedule', (text) => {
    expect(read(text)).toBeTypeOf('string');
  });

  it.each([
    ['remind me tomorrow at 9 to call Elke', '2026-03-05 09:00', 'remind me to call Elke'],
    ['tomorrow at 9am review the todos', '2026-03-05 09:00', 'review the todos'],
    ['friday 9am CEST call', 'ambiguous', ''],
    ['tomorrow at 5pm plan the weekend', '2026-03-05 17:00', 'plan the weekend'],
  ])('%s: is English', (text, at, instructions) => {
    expect(read(text)).toEqual(instructions === '' ? at : [at, instructions]);
  });
});
