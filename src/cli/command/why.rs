//! Why candidates weigh what they weigh, as text: the same sums and words as in the terminal UI.

use crate::mine::why::{EvidenceAccount, MatchExplanation, why};
use crate::model::{Matcher, SampleDetail, signed};
use crate::table::visible;

/// Chooses the heading over a list of candidates.
pub const fn heading(matcher: Matcher) -> &'static str {
    match matcher {
        Matcher::Contest => "candidates  by the test's name, by the class's name",
        Matcher::Evidence => {
            "candidates  weight (a probability), and what each kind of evidence adds to its log-odds"
        }
        Matcher::Methods2Test => "candidates  by two rules, without weights",
        Matcher::Mera => "candidates  by one rule, without weights",
    }
}

/// Lists the sample's candidates, each with the parts of its weight.
pub fn candidates(detail: &SampleDetail) -> String {
    let mut text = format!("{}\n", heading(detail.matcher));
    for (candidate_row, why) in detail.candidates.iter().zip(why(detail)) {
        let mark = if candidate_row.is_picked { '▶' } else { ' ' };
        let place = format!(
            "{}  {}:{}",
            visible(&candidate_row.key),
            visible(&candidate_row.path),
            candidate_row.line
        );
        match why {
            MatchExplanation::Evidence(sum) => {
                text += &format!("{mark} {:.2}  {place}\n", candidate_row.weight);
                text += &account(&sum, "        ");
                if sum.is_older(candidate_row.weight) {
                    text +=
                        "        mined with other weights; `focalist mine --force` applies these\n";
                }
            }
            MatchExplanation::Names { test, class } => {
                text += &format!(
                    "{mark} {:.2}  {:.2}  {place}\n",
                    candidate_row.score, candidate_row.class_score
                );
                text += &format!("              test   {}\n", visible(&test.to_string()));
                text += &format!("              class  {}\n", visible(&class.to_string()));
            }
            MatchExplanation::Rules => text += &format!("{mark} {place}\n"),
        }
    }
    text
}

/// Writes a sum of log-odds, a line for each kind of evidence.
pub fn account(account: &EvidenceAccount, indent: &str) -> String {
    let mut text = format!(
        "{indent}{}  {}\n",
        signed(account.against, 2),
        EvidenceAccount::AGAINST
    );
    for (kind, log_odds) in &account.reasons {
        text += &format!("{indent}{}  {}\n", signed(*log_odds, 2), kind.explain());
    }
    text += &format!(
        "{indent}{}  together: a probability of {:.2}\n",
        signed(account.sum(), 2),
        account.probability()
    );
    text
}
