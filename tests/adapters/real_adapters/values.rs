//! Scenarios of values: evaluated, watched, changed, paged, completed, written otherwise.

use omp_debug::debugger::{Command, Reply, Stop};

use super::bench::{Bench, PATIENCE};
use crate::support::core::{Desk, Outcome};

pub async fn set_variable(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "price-return").await?;
    // A local among the scopes.
    let frame = &stop.frames[&stop.selected.unwrap().frame_id];
    let found = frame.scopes.iter().find_map(|scope| {
        let mut variables = scope.variables.iter().flatten();
        let price = variables.find(|v| v.name == "price" && v.value == "20")?;
        Some((scope.scope.variables_reference, price.evaluate_name.clone()))
    });
    let Some((container, evaluate_name)) = found else {
        return Err(bench.blame("no scope has price = 20"));
    };
    let change = Command::SetVariable {
        session: bench.at,
        stop: stop.id,
        container,
        name: "price".to_owned(),
        evaluate_name,
        value: "5".to_owned(),
    };
    bench.must("the change", change).await?;
    let price = bench.rig.words.price;
    bench.must_be(price, "5").await?;
    bench.no_breakpoints().await?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    let sum = bench.rig.sum;
    bench.printed(sum).await
}

pub async fn evaluate(bench: &mut Bench, _stop: &Stop) -> Outcome<()> {
    let words = bench.rig.words;
    bench.must_be(words.price, "20").await?;
    bench.must_be(words.price_and_one, "21").await?;
    let watch = Command::AddWatch {
        expression: words.price_and_one.to_owned(),
    };
    bench.must("a watch", watch).await?;
    let at = bench.at.unwrap();
    let watched = |desk: &Desk| {
        let stop = desk.state.session(at)?.current_stop()?;
        let mut watches = stop.watches.values();
        watches
            .any(|watch| format!("{:?}", watch.result).contains("21"))
            .then_some(())
    };
    bench.desk.until("the watch", PATIENCE, watched).await?;
    let wrong = bench.evaluation(None, words.unknown);
    match bench.ask("a wrong name", wrong).await? {
        Err(error) if error.what.contains("no_such_name") => Ok(()),
        other => Err(bench.blame(format!("a wrong name gave {other:?}"))),
    }
}

pub async fn evaluate_in_frames(bench: &mut Bench, stop: &Stop) -> Outcome<()> {
    let frame = bench.frame(stop, "total")?;
    let total = bench.rig.words.total;
    let value = bench.value_in(Some(frame.id), total).await?;
    if value == "0" {
        return Ok(());
    }
    Err(bench.blame(format!("the total is {value}")))
}

pub async fn unicode_values(bench: &mut Bench, stop: &Stop) -> Outcome<()> {
    let frame = bench.frame(stop, "stock")?;
    let (expression, wanted) = bench.rig.words.city;
    let value = bench.value_in(Some(frame.id), expression).await?;
    if value.contains(wanted) {
        return Ok(());
    }
    Err(bench.blame(format!("{expression} is {value:?}, not {wanted:?}")))
}

/// The list is opened where one likes, and not as a whole.
pub async fn long_list(bench: &mut Bench, stop: &Stop) -> Outcome<()> {
    let frame = bench.frame(stop, "stock")?;
    let (expression, length) = bench.rig.words.numbers;
    let command = bench.evaluation(Some(frame.id), expression);
    let list = match bench.must(expression, command).await? {
        Reply::Value { value } => value,
        other => return Err(format!("{expression} gave {other:?}")),
    };
    if list.variables_reference <= 0 {
        return Err(bench.blame(format!("{expression} cannot be opened: {list:?}")));
    }
    let start = length - 10;
    let page = Some((start, 5));
    let elements = bench.page(stop, list.variables_reference, page).await?;
    let wanted = (start..start + 5).map(|number| number.to_string());
    for number in wanted {
        if !elements.iter().any(|element| element.value == number) {
            let told: Vec<_> = elements
                .iter()
                .take(8)
                .map(|e| (&e.name, &e.value))
                .collect();
            return Err(bench.blame(format!("no {number} among {} of {told:?}", elements.len())));
        }
    }
    Ok(())
}

/// Waits for the price among the variables shown, written as wanted.
async fn shows_price(bench: &mut Bench, wanted: &str) -> Outcome<()> {
    let at = bench.at.unwrap();
    let shown = |desk: &Desk| {
        let stop = desk.state.session(at)?.current_stop()?;
        let frame = stop.frames.get(&stop.selected?.frame_id)?;
        let mut variables = frame
            .scopes
            .iter()
            .flat_map(|s| s.variables.iter().flatten());
        let price = variables.find(|variable| variable.name == "price")?;
        let digits = price.value.trim_start_matches("0x").trim_start_matches('0');
        (digits == wanted).then_some(())
    };
    let what = format!("price {wanted}");
    bench.desk.until(&what, PATIENCE, shown).await
}

pub async fn hexadecimal(bench: &mut Bench, _stop: &Stop) -> Outcome<()> {
    for (hex, wanted) in [(true, "14"), (false, "20")] {
        let session = bench.at;
        let command = Command::ValueFormat { session, hex };
        bench.must("the format", command).await?;
        shows_price(bench, wanted).await?;
    }
    Ok(())
}

pub async fn completions(bench: &mut Bench, _stop: &Stop) -> Outcome<()> {
    let command = Command::Completions {
        session: bench.at,
        frame_id: None,
        text: "pri".to_owned(),
        column: 3,
    };
    let items = match bench.must("completions", command).await? {
        Reply::Completions { items } => items,
        other => return Err(format!("completions are {other:?}")),
    };
    let mut texts = items
        .iter()
        .map(|item| item.text.as_deref().unwrap_or(&item.label));
    if texts.any(|text| text == "price") {
        return Ok(());
    }
    Err(bench.blame(format!("no price among {items:?}")))
}
